//! Facets: micro-clusters by types, roles and width of vector, their centroids side by side in memory.
//!
//! Derived from the micro-clusters and never stored. Only fragments of one facet can meet, which also keeps vectors of
//! different widths apart (Z-103).

use std::collections::BTreeMap;

use crate::domain::pool::micro::Micro;
use crate::domain::pool::micro::MicroId;
use crate::domain::pool::reading::Reading;
use crate::domain::pool::reading::ValueType;

/// What fragments must have in common to be compared.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FacetKey {
    types: Vec<ValueType>,
    roles: Vec<String>,
    width: usize,
}

impl FacetKey {
    /// The facet of a reading whose vector has so many components.
    pub fn of(reading: &Reading, width: usize) -> FacetKey {
        FacetKey {
            types: reading.types.clone(),
            roles: reading.roles.clone(),
            width,
        }
    }
}

/// The micro-clusters of one facet, ascending, and their centroids row by row.
#[derive(Clone, Debug, Default, PartialEq)]
struct Facet {
    ids: Vec<MicroId>,
    rows: Vec<i16>,
}

/// All facets of a pool.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Facets(BTreeMap<FacetKey, Facet>);

impl Facets {
    /// The facets of some micro-clusters.
    pub fn of<'a>(micros: impl Iterator<Item = &'a Micro>) -> Facets {
        let mut facets = Facets::default();
        for micro in micros {
            facets.put(micro);
        }
        facets
    }

    /// Enters a micro-cluster, or its new centroid.
    pub fn put(&mut self, micro: &Micro) {
        let centroid = micro.centroid();
        let width = centroid.len();
        let facet = self.0.entry(FacetKey::of(&micro.reading, width)).or_default();
        match facet.ids.binary_search(&micro.id) {
            Ok(index) => facet.rows[index * width..(index + 1) * width].copy_from_slice(&centroid),
            Err(index) => {
                facet.ids.insert(index, micro.id);
                facet.rows.splice(index * width..index * width, centroid);
            }
        }
    }

    /// Takes a micro-cluster out.
    pub fn remove(&mut self, micro: &Micro) {
        let width = micro.sum.components().len();
        let key = FacetKey::of(&micro.reading, width);
        let Some(facet) = self.0.get_mut(&key) else { return };
        if let Ok(index) = facet.ids.binary_search(&micro.id) {
            facet.ids.remove(index);
            facet.rows.drain(index * width..(index + 1) * width);
        }
        if facet.ids.is_empty() {
            self.0.remove(&key);
        }
    }

    /// The micro-clusters of a facet with their centroids, ascending by id.
    pub fn rows(&self, key: &FacetKey) -> impl Iterator<Item = (MicroId, &[i16])> {
        self.0
            .get(key)
            .into_iter()
            .flat_map(move |facet| facet.ids.iter().copied().zip(facet.rows.chunks_exact(key.width.max(1))))
    }

    /// How many micro-clusters are entered.
    pub fn len(&self) -> usize {
        self.0.values().map(|facet| facet.ids.len()).sum()
    }

    /// Whether none is entered.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
