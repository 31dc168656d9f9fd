//! Long lists of integers as one string, little-endian in base64: snapshots and journals stay small and deterministic.

use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;

/// 16-bit integers.
pub fn pack16(values: &[i16]) -> String {
    STANDARD_NO_PAD.encode(values.iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<u8>>())
}

/// Reads what [`pack16`] wrote.
pub fn unpack16(text: &str) -> Option<Vec<i16>> {
    let bytes = STANDARD_NO_PAD.decode(text).ok()?;
    let (chunks, rest) = bytes.as_chunks::<2>();
    rest.is_empty()
        .then(|| chunks.iter().map(|chunk| i16::from_le_bytes(*chunk)).collect())
}

/// 64-bit integers, in 4 bytes each where all of them fit (`w`), else in 8 (`l`).
pub fn pack64(values: &[i64]) -> String {
    let narrow = values
        .iter()
        .map(|&value| i32::try_from(value))
        .collect::<Result<Vec<_>, _>>();
    match narrow {
        Ok(narrow) => {
            let bytes = narrow.iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<u8>>();
            format!("w{}", STANDARD_NO_PAD.encode(bytes))
        }
        Err(_) => {
            let bytes = values.iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<u8>>();
            format!("l{}", STANDARD_NO_PAD.encode(bytes))
        }
    }
}

/// Reads what [`pack64`] wrote.
pub fn unpack64(text: &str) -> Option<Vec<i64>> {
    if let Some(body) = text.strip_prefix('w') {
        let bytes = STANDARD_NO_PAD.decode(body).ok()?;
        let (chunks, rest) = bytes.as_chunks::<4>();
        return rest
            .is_empty()
            .then(|| chunks.iter().map(|c| i64::from(i32::from_le_bytes(*c))).collect());
    }
    let bytes = STANDARD_NO_PAD.decode(text.strip_prefix('l')?).ok()?;
    let (chunks, rest) = bytes.as_chunks::<8>();
    rest.is_empty()
        .then(|| chunks.iter().map(|c| i64::from_le_bytes(*c)).collect())
}

/// Serde for a set of 32-bit words.
pub mod words {
    use std::collections::BTreeSet;

    use base64::Engine;
    use base64::engine::general_purpose::STANDARD_NO_PAD;
    use serde::Deserialize;
    use serde::Deserializer;
    use serde::Serializer;
    use serde::de::Error;

    /// Writes the set, sorted.
    ///
    /// # Errors
    /// The serializer's.
    pub fn serialize<S: Serializer>(words: &BTreeSet<u32>, serializer: S) -> Result<S::Ok, S::Error> {
        let bytes = words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>();
        serializer.serialize_str(&STANDARD_NO_PAD.encode(bytes))
    }

    /// Reads a set.
    ///
    /// # Errors
    /// When the text is not what [`serialize`] writes.
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<BTreeSet<u32>, D::Error> {
        let text = String::deserialize(deserializer)?;
        let bytes = STANDARD_NO_PAD.decode(text).map_err(D::Error::custom)?;
        let (chunks, rest) = bytes.as_chunks::<4>();
        if !rest.is_empty() {
            return Err(D::Error::custom("a list of words was cut short"));
        }
        Ok(chunks.iter().map(|chunk| u32::from_le_bytes(*chunk)).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::pack16;
    use super::pack64;
    use super::unpack16;
    use super::unpack64;

    #[test]
    fn integers_survive_packing_at_the_edges_of_their_width() {
        let small = [i16::MIN, -1, 0, 1, i16::MAX];
        assert_eq!(unpack16(&pack16(&small)).as_deref(), Some(&small[..]));
        let narrow = [i64::from(i32::MIN), 0, i64::from(i32::MAX)];
        assert!(pack64(&narrow).starts_with('w'));
        assert_eq!(unpack64(&pack64(&narrow)).as_deref(), Some(&narrow[..]));
        let wide = [i64::from(i32::MAX) + 1, -1];
        assert!(pack64(&wide).starts_with('l'));
        assert_eq!(unpack64(&pack64(&wide)).as_deref(), Some(&wide[..]));
    }

    #[test]
    fn what_was_not_packed_here_is_refused() {
        assert_eq!(unpack16("AAAA"), None);
        assert_eq!(unpack64("x"), None);
        assert_eq!(unpack64("wAA"), None);
    }
}
