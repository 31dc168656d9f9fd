//! The nearest centroid by integer dot product (Z-086, Z-087).

use text::vector::Cosine;
use text::vector::Vector;
use text::vector::cosine;

/// The place of the nearest among some centroids and its cosine; the first on a tie, `None` when there is none of the
/// vector's width.
pub fn nearest<'a>(centroids: impl IntoIterator<Item = &'a [i16]>, vector: &Vector) -> Option<(usize, Cosine)> {
    let wanted = vector.components();
    let mut best: Option<(usize, Cosine)> = None;
    for (index, centroid) in centroids.into_iter().enumerate() {
        if centroid.len() != wanted.len() {
            continue;
        }
        let found = cosine(centroid, wanted);
        if best.is_none_or(|(_, most)| found > most) {
            best = Some((index, found));
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::nearest;
    use text::vector::Vector;

    #[test]
    fn the_nearest_wins_and_the_first_on_a_tie_z086_z087() {
        let make = |values: &[f32]| Vector::quantise(values).expect("a vector");
        let (x, y, xy) = (make(&[1.0, 0.0]), make(&[0.0, 1.0]), make(&[1.0, 1.0]));
        let rows = [x.components(), y.components(), xy.components()];
        assert_eq!(nearest(rows, &y).map(|(index, _)| index), Some(1));
        assert_eq!(
            nearest([x.components(), y.components()], &xy).map(|(index, _)| index),
            Some(0)
        );
        assert_eq!(nearest(rows, &make(&[1.0, 0.0, 0.0])), None);
    }
}
