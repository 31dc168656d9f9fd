//! Sentences as unit vectors of integers, and sums and means of them, exact: 2^14 is one, so that a dot product is an exact cosine in
//! units of 2^28. In journals and snapshots each is one string, its integers little-endian in base64.

use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use serde::Deserialize;
use serde::Serialize;

/// What 1.0 is in a vector's component.
pub const UNIT: f64 = 16_384.0;

/// A quantised unit vector. Two of them are compared only when they come from the same model (Z-103).
///
/// Invariant: its length is one up to rounding, so that the dot product of two fits 32 bits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Vector(Vec<i16>);

/// Cosine in units of 2^-28; ordered and exact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Cosine(pub i32);

/// Less than any cosine: what vectors of different widths have in common.
pub const UNLIKE: Cosine = Cosine(i32::MIN);

/// One step of a component. A cosine within it of a threshold counts as reaching it: what two vectors had exactly in
/// common must not be lost to the rounding of their components (Z-087).
const STEP: i32 = 1 << 14;

/// Components taken together, each summed for itself until the end, so that the compiler can use wide registers.
const LANES: usize = 16;

impl Vector {
    /// Normalises and quantises; `None` for an empty vector, one with a component that is not finite, or all zeros.
    pub fn quantise(values: &[f32]) -> Option<Vector> {
        Vector::quantise_wide(values.iter().map(|&value| f64::from(value)).collect())
    }

    /// As [`Vector::quantise`], from double precision.
    pub fn quantise_wide(values: Vec<f64>) -> Option<Vector> {
        let largest = values.iter().fold(0.0_f64, |largest, value| largest.max(value.abs()));
        if !(largest > 0.0 && values.iter().all(|value| value.is_finite())) {
            return None;
        }
        // Scaled first, so that neither tiny nor huge components leave the range when squared.
        let norm = values.iter().map(|value| (value / largest).powi(2)).sum::<f64>().sqrt();
        let component = |value: &f64| (value / largest / norm * UNIT).round() as i16;
        Some(Vector(values.iter().map(component).collect()))
    }

    /// Components.
    pub fn components(&self) -> &[i16] {
        &self.0
    }

    /// Number of components.
    pub fn width(&self) -> usize {
        self.0.len()
    }

    /// Cosine of two vectors of the same width; less than any where the widths differ.
    pub fn cosine(&self, other: &Vector) -> Cosine {
        cosine(&self.0, &other.0)
    }
}

/// Cosine of the components of two unit vectors, as [`Vector::cosine`].
pub fn cosine(one: &[i16], other: &[i16]) -> Cosine {
    if one.len() != other.len() {
        return UNLIKE;
    }
    let (one_chunks, one_rest) = one.as_chunks::<LANES>();
    let (other_chunks, other_rest) = other.as_chunks::<LANES>();
    let mut lanes = [0_i32; LANES];
    for (a, b) in one_chunks.iter().zip(other_chunks) {
        for lane in 0..LANES {
            lanes[lane] = lanes[lane].wrapping_add(i32::from(a[lane]) * i32::from(b[lane]));
        }
    }
    let mut sum = lanes.into_iter().fold(0, i32::wrapping_add);
    for (a, b) in one_rest.iter().zip(other_rest) {
        sum = sum.wrapping_add(i32::from(*a) * i32::from(*b));
    }
    Cosine(sum)
}

/// The place of the nearest among some centroids and its cosine; the first on a tie, `None` when there is none of the
/// vector's width (Z-086, Z-087).
pub fn nearest<'a>(centroids: impl IntoIterator<Item = &'a [i16]>, vector: &Vector) -> Option<(usize, Cosine)> {
    let mut best: Option<(usize, Cosine)> = None;
    for (index, centroid) in centroids.into_iter().enumerate() {
        let found = cosine(centroid, &vector.0);
        if found > best.map_or(UNLIKE, |(_, most)| most) {
            best = Some((index, found));
        }
    }
    best
}

impl Cosine {
    /// The cosine nearest to a real number in -1..=1.
    pub fn of(value: f64) -> Cosine {
        Cosine((value.clamp(-1.0, 1.0) * UNIT * UNIT).round() as i32)
    }

    /// As a real number.
    pub fn value(self) -> f64 {
        f64::from(self.0) / (UNIT * UNIT)
    }

    /// Whether this cosine is at or above a threshold, up to one step of a component (Z-087).
    pub fn reaches(self, threshold: Cosine) -> bool {
        self.0 >= threshold.0.saturating_sub(STEP)
    }
}

/// A component-wise sum of vectors of one width. The first vector fixes the width.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Sum(Vec<i64>);

impl Sum {
    /// The sum of one vector.
    pub fn of(vector: &Vector) -> Sum {
        Sum::times(&vector.0, 1)
    }

    /// The sum of so many equal vectors with these components.
    fn times(components: &[i16], count: u64) -> Sum {
        let count = i64::try_from(count).unwrap_or(i64::MAX);
        let times = |&component: &i16| i64::from(component).saturating_mul(count);
        Sum(components.iter().map(times).collect())
    }

    /// Adds a vector; one of another width comes from another model and is left out (Z-103).
    pub fn add(&mut self, vector: &Vector) {
        self.merge(&Sum::of(vector));
    }

    /// Adds another sum of the same width.
    pub fn merge(&mut self, other: &Sum) {
        if self.0.is_empty() {
            self.0.clone_from(&other.0);
        } else if self.0.len() == other.0.len() {
            for (sum, more) in self.0.iter_mut().zip(&other.0) {
                *sum = sum.saturating_add(*more);
            }
        }
    }

    /// Components; none before the first vector.
    pub fn components(&self) -> &[i64] {
        &self.0
    }

    /// The direction of the sum, quantised; `None` where the vectors cancel out.
    pub fn centroid(&self) -> Option<Vector> {
        Vector::quantise_wide(self.0.iter().map(|&component| component as f64).collect())
    }
}

/// The mean of some vectors, in their components' scale; shorter than they are where they differ. It is what is recorded of a
/// micro-cluster that is embedded anew.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Mean(Vec<i16>);

impl Mean {
    /// The mean of vectors of one width, the first one's; `None` without any.
    pub fn of(vectors: &[Vector]) -> Option<Mean> {
        let width = vectors.first()?.width();
        let mut sum = Sum::default();
        let mut count = 0_i64;
        for vector in vectors.iter().filter(|vector| vector.width() == width) {
            sum.add(vector);
            count += 1;
        }
        // A mean of quantised components lies among them.
        let mean = |&sum: &i64| i16::try_from(sum / count).unwrap_or_default();
        Some(Mean(sum.components().iter().map(mean).collect()))
    }

    /// The sum of so many vectors with this mean.
    pub fn times(&self, members: u64) -> Sum {
        Sum::times(&self.0, members)
    }
}

impl From<Vector> for String {
    fn from(vector: Vector) -> String {
        packed(vector.0.iter().map(|component| component.to_le_bytes()))
    }
}

impl TryFrom<String> for Vector {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Vector, &'static str> {
        let components = unpacked(&text, i16::from_le_bytes).ok_or("not a packed vector")?;
        let square = components.iter().map(|&c| i64::from(c) * i64::from(c)).sum::<i64>();
        let slack = 0.5 * (components.len() as f64).sqrt() + 1.0;
        let is_unit = ((square as f64).sqrt() - UNIT).abs() <= slack;
        is_unit.then_some(Vector(components)).ok_or("not a unit vector")
    }
}

impl From<Mean> for String {
    fn from(mean: Mean) -> String {
        packed(mean.0.iter().map(|component| component.to_le_bytes()))
    }
}

impl TryFrom<String> for Mean {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Mean, &'static str> {
        unpacked(&text, i16::from_le_bytes).map(Mean).ok_or("not a packed mean")
    }
}

/// Components of 4 bytes each behind a `w` where all of them fit, else of 8 behind an `l`.
impl From<Sum> for String {
    fn from(sum: Sum) -> String {
        let narrow: Result<Vec<i32>, _> = sum.0.iter().map(|&component| i32::try_from(component)).collect();
        match narrow {
            Ok(narrow) => format!("w{}", packed(narrow.iter().map(|component| component.to_le_bytes()))),
            Err(_) => format!("l{}", packed(sum.0.iter().map(|component| component.to_le_bytes()))),
        }
    }
}

impl TryFrom<String> for Sum {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Sum, &'static str> {
        let components = match text.split_at_checked(1) {
            Some(("w", narrow)) => unpacked(narrow, |bytes| i64::from(i32::from_le_bytes(bytes))),
            Some(("l", wide)) => unpacked(wide, i64::from_le_bytes),
            Some(_) | None => None,
        };
        components.map(Sum).ok_or("not a packed sum")
    }
}

fn packed<const N: usize>(integers: impl Iterator<Item = [u8; N]>) -> String {
    STANDARD_NO_PAD.encode(integers.flatten().collect::<Vec<u8>>())
}

fn unpacked<const N: usize, T>(text: &str, integer: impl Fn([u8; N]) -> T) -> Option<Vec<T>> {
    let bytes = STANDARD_NO_PAD.decode(text).ok()?;
    let (chunks, rest) = bytes.as_chunks::<N>();
    rest.is_empty()
        .then(|| chunks.iter().map(|chunk| integer(*chunk)).collect())
}

#[cfg(test)]
mod tests {
    use serde_json::from_str;
    use serde_json::to_string;

    use super::Cosine;
    use super::Mean;
    use super::Sum;
    use super::UNLIKE;
    use super::Vector;
    use super::nearest;

    fn make(values: &[f32]) -> Vector {
        Vector::quantise(values).expect("a vector")
    }

    fn at_cosine(cosine: f64) -> Vector {
        Vector::quantise_wide(vec![cosine, (1.0 - cosine * cosine).sqrt(), 0.0]).expect("a vector")
    }

    #[test]
    fn a_cosine_at_the_threshold_reaches_it_and_one_just_below_does_not_z087() {
        let (axis, threshold) = (at_cosine(1.0), Cosine::of(0.85));
        assert!(axis.cosine(&at_cosine(0.85)).reaches(threshold));
        assert!(axis.cosine(&at_cosine(0.8501)).reaches(threshold));
        assert!(!axis.cosine(&at_cosine(0.8498)).reaches(threshold));
        assert!(!UNLIKE.reaches(Cosine::of(-1.0)));
    }

    #[test]
    fn the_nearest_wins_and_the_first_on_a_tie_z086_z087() {
        let (x, y, xy) = (make(&[1.0, 0.0]), make(&[0.0, 1.0]), make(&[1.0, 1.0]));
        let rows = [x.components(), y.components(), xy.components()];
        let place = |rows: &[&[i16]], vector: &Vector| nearest(rows.iter().copied(), vector).map(|(place, _)| place);
        assert_eq!(place(&rows, &y), Some(1));
        assert_eq!(place(&rows[..2], &xy), Some(0));
        assert_eq!(place(&rows, &make(&[1.0, 0.0, 0.0])), None, "of another model");
    }

    #[test]
    fn only_what_has_a_direction_is_a_vector_whatever_its_scale() {
        let small = make(&[3e-30, 4e-30]);
        assert_eq!(small, make(&[3e30, 4e30]));
        assert!((small.cosine(&small).value() - 1.0).abs() < 1e-4);
        for values in [&[][..], &[0.0, 0.0], &[f32::NAN, 1.0], &[f32::INFINITY, 1.0]] {
            assert_eq!(Vector::quantise(values), None);
        }
    }

    #[test]
    fn sums_and_means_are_exact_and_another_width_is_left_out_z103() {
        let vectors = [make(&[1.0, 0.0]), make(&[0.0, 1.0]), make(&[1.0, 0.0, 0.0])];
        let mut sum = Sum::default();
        vectors.iter().for_each(|vector| sum.add(vector));
        assert_eq!(sum.centroid(), Some(make(&[1.0, 1.0])));
        assert_eq!(Sum::default().centroid(), None);
        assert_eq!(vectors[0].cosine(&vectors[2]), UNLIKE);
        assert_eq!(Mean::of(&vectors), Some(Mean(vec![8_192, 8_192])));
        assert_eq!(Mean::of(&[]), None);
    }

    #[test]
    fn each_is_one_short_string_in_the_journal_and_what_was_not_packed_here_is_refused() {
        let vector = at_cosine(0.85);
        assert_eq!(
            from_str::<Vector>(&to_string(&vector).expect("text")).expect("a vector"),
            vector
        );
        let mean = Mean(vec![i16::MIN, -1, 0, 1, i16::MAX]);
        assert_eq!(
            from_str::<Mean>(&to_string(&mean).expect("text")).expect("a mean"),
            mean
        );
        let (narrow, wide) = (
            [i64::from(i32::MIN), 0, i64::from(i32::MAX)],
            [i64::from(i32::MAX) + 1, -1],
        );
        for (sum, begins) in [
            (Sum(narrow.to_vec()), "\"w"),
            (Sum(wide.to_vec()), "\"l"),
            (Sum::default(), "\"w"),
        ] {
            let text = to_string(&sum).expect("text");
            assert!(text.starts_with(begins), "{text}");
            assert_eq!(from_str::<Sum>(&text).expect("a sum"), sum);
        }
        for none in ["\"AAAA\"", "\"A\"", "\"\"", "\"wAA\"", "\"x\"", "\"é\""] {
            assert!(
                from_str::<Vector>(none).is_err() && from_str::<Sum>(none).is_err(),
                "{none}"
            );
        }
        assert!(from_str::<Mean>("\"A\"").is_err());
    }
}
