//! Crediting what one phrase says besides: of several requirements in one fragment only one decides where it is pooled,
//! the others are credited to the keys in force that hold them (DESIGN §5.5).
//!
//! A key is known here by what was said for it: the type, the role and the mean of its cluster. A value is credited to
//! the one key of its type that it is most like, never against its role; a key without a reliable type only on a strong
//! likeness. Credit adds neither heat nor demand, so an error here changes no cluster.

use std::collections::BTreeMap;
use std::collections::BTreeSet;

use crate::domain::pool::cut::common_role;
use crate::domain::pool::cut::dominant;
use crate::domain::pool::feature::centred;
use crate::domain::pool::feature::centring;
use crate::domain::pool::micro::Micro;
use crate::domain::pool::policy::PoolPolicy;
use crate::domain::pool::reading::Reading;
use crate::domain::pool::reading::ValueType;
use crate::domain::pool::roles::contrast;
use crate::domain::pool::state::ClusterId;
use crate::domain::pool::state::Pool;
use crate::domain::pool::sum::Sum;
use crate::domain::pool::vector::Vector;

/// A cluster that a key came of, as far as a fragment can be compared with it.
#[derive(Clone, Debug)]
struct Portrait {
    /// `None` when its members agree on no type.
    value_type: Option<ValueType>,
    role: Option<String>,
    meaning: Option<Vector>,
}

/// The clusters that keys in force came of.
pub struct Portraits {
    portraits: BTreeMap<ClusterId, Portrait>,
    mean: Vec<f64>,
    centring: f64,
}

/// A value is credited to a key of its type from this likeness on.
const TYPED_MIN: f64 = 0.20;

/// How like a fragment must be to a key without a reliable type.
struct Bars {
    /// Where nothing of the fragment is known to be another key's.
    open: f64,
    /// Where another key explains some of it.
    explained: f64,
}

/// In a submission that says several things.
const SEVERAL: Bars = Bars {
    open: 0.35,
    explained: 0.50,
};
/// In one that says a single thing: the words around one value are like those around another.
const SINGLE: Bars = Bars {
    open: 0.50,
    explained: 0.60,
};

impl Portraits {
    /// Draws the clusters; one that is gone is left out.
    pub fn of(pool: &Pool, clusters: &BTreeSet<ClusterId>, policy: &PoolPolicy) -> Portraits {
        let mean = pool.mean();
        let centring = centring(pool, policy.centring);
        let portraits = clusters
            .iter()
            .filter_map(|&cluster| Some((cluster, portrait(pool, cluster, &mean, centring)?)))
            .collect();
        Portraits {
            portraits,
            mean,
            centring,
        }
    }

    /// The clusters among `candidates` that a fragment speaks of besides the one that it joined. `several` says whether
    /// its submission has other fragments.
    pub fn besides(
        &self,
        reading: &Reading,
        vector: &Vector,
        joined: ClusterId,
        candidates: &BTreeSet<ClusterId>,
        several: bool,
    ) -> Vec<ClusterId> {
        let Some(meaning) = centred(Sum::of(vector).components(), 1.0, &self.mean, self.centring) else {
            return Vec::new();
        };
        let at_home = candidates
            .contains(&joined)
            .then(|| self.portraits.get(&joined))
            .flatten();
        let known = || {
            candidates
                .iter()
                .filter(|&&cluster| cluster != joined)
                .filter_map(|cluster| Some((*cluster, self.portraits.get(cluster)?)))
        };
        let like = |portrait: &Portrait| portrait.meaning.as_ref().map(|own| own.cosine(&meaning).value());
        let mut credited = Vec::new();
        for &value_type in reading.types.iter().filter(|value_type| value_type.is_strong()) {
            if at_home.is_some_and(|home| home.value_type == Some(value_type)) {
                continue;
            }
            let role = contrast(&reading.roles, value_type);
            let of_its_type = known().filter(|(_, portrait)| {
                portrait.value_type == Some(value_type)
                    && (role.is_none() || portrait.role.is_none() || role == portrait.role.as_deref())
            });
            credited.extend(most_like(of_its_type, like, TYPED_MIN));
        }
        if at_home.is_some_and(|home| !home.value_type.is_some_and(ValueType::is_strong)) {
            return credited;
        }
        let values = reading.types.iter().filter(|value_type| value_type.is_strong()).count();
        let bars = if several || values > 1 { &SEVERAL } else { &SINGLE };
        let bar = if credited.is_empty() && at_home.is_none() {
            bars.open
        } else {
            bars.explained
        };
        let untyped = known().filter(|(_, portrait)| !portrait.value_type.is_some_and(ValueType::is_strong));
        credited.extend(most_like(untyped, like, bar));
        credited
    }
}

fn most_like<'a>(
    portraits: impl Iterator<Item = (ClusterId, &'a Portrait)>,
    like: impl Fn(&Portrait) -> Option<f64>,
    bar: f64,
) -> Option<ClusterId> {
    let mut best: Option<(f64, ClusterId)> = None;
    for (cluster, portrait) in portraits {
        let Some(likeness) = like(portrait).filter(|likeness| *likeness >= bar) else {
            continue;
        };
        if best.is_none_or(|(most, _)| likeness > most) {
            best = Some((likeness, cluster));
        }
    }
    best.map(|(_, cluster)| cluster)
}

fn portrait(pool: &Pool, cluster: ClusterId, mean: &[f64], centring: f64) -> Option<Portrait> {
    let micros = pool.micros_of(cluster).collect::<Vec<&Micro>>();
    if micros.is_empty() {
        return None;
    }
    let places = (0..micros.len()).collect::<Vec<_>>();
    let value_type = dominant(&micros, &places);
    let mut sum = Sum::default();
    let mut members = 0;
    for micro in micros.iter().filter(|micro| micro.sum.components().len() == mean.len()) {
        members += micro.members;
        sum.merge(&micro.sum);
    }
    Some(Portrait {
        value_type,
        role: common_role(&micros, &places, value_type),
        meaning: centred(sum.components(), members as f64, mean, centring),
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::Portraits;
    use crate::domain::pool::policy::PoolPolicy;
    use crate::domain::pool::reading::Reading;
    use crate::domain::pool::reading::ValueType;
    use crate::domain::pool::sample::say;
    use crate::domain::pool::state::ClusterId;
    use crate::domain::pool::state::Pool;
    use crate::domain::pool::vector::Vector;

    const EAST: [f64; 3] = [1.0, 0.0, 0.0];
    const NORTH: [f64; 3] = [0.0, 1.0, 0.0];
    /// Belongs to nothing that is known.
    const NOWHERE: ClusterId = ClusterId(99);

    /// The clusters besides `joined` that a fragment is credited to, in a pool of one cluster for each kind, none of
    /// whose mean is taken away.
    fn credited(
        kinds: &[([f64; 3], ValueType, &'static str)],
        said: ([f64; 3], &[ValueType], &'static str),
        joined: ClusterId,
        several: bool,
    ) -> Vec<u64> {
        let policy = PoolPolicy {
            centring: 0.0,
            ..PoolPolicy::default()
        };
        let vector = |direction: [f64; 3]| Vector::quantise_wide(direction.to_vec()).expect("a vector");
        let roles = |role: &'static str| [role].into_iter().filter(|role| !role.is_empty()).collect::<Vec<_>>();
        let mut pool = Pool::default();
        for &(direction, value_type, role) in kinds {
            let reading = Reading::of(&[value_type], &roles(role), &[]);
            say(&mut pool, &reading, &vector(direction), 1, &policy);
        }
        let clusters = pool.clusters.keys().copied().collect::<BTreeSet<_>>();
        assert_eq!(clusters.len(), kinds.len(), "each its own");
        let reading = Reading::of(said.1, &roles(said.2), &[]);
        let portraits = Portraits::of(&pool, &clusters, &policy);
        let found = portraits.besides(&reading, &vector(said.0), joined, &clusters, several);
        found.into_iter().map(|cluster| cluster.0).collect()
    }

    /// A direction so like the east.
    fn like_east(cosine: f64) -> [f64; 3] {
        [cosine, 0.0, (1.0 - cosine * cosine).sqrt()]
    }

    #[test]
    fn each_reliable_value_is_credited_to_the_key_of_its_type_that_it_is_most_like_z088() {
        let kinds = [
            (EAST, ValueType::Date, ""),
            (NORTH, ValueType::Date, ""),
            (EAST, ValueType::Number, ""),
        ];
        let said = ([0.9, 0.4, 0.0], &[ValueType::Date, ValueType::Number][..], "");
        assert_eq!(credited(&kinds, said, NOWHERE, false), [0, 2]);
        assert_eq!(credited(&kinds, said, ClusterId(2), false), [0], "its own is no credit");
        assert_eq!(
            credited(&kinds, (EAST, &[ValueType::Money], ""), NOWHERE, false),
            [0; 0]
        );
    }

    #[test]
    fn a_value_is_never_credited_against_its_role_z072_z088() {
        let kinds = [(EAST, ValueType::Place, "DST"), (NORTH, ValueType::Place, "SRC")];
        let said = ([0.9, 0.4, 0.0], &[ValueType::Place][..], "SRC");
        assert_eq!(credited(&kinds, said, NOWHERE, false), [1]);
        let neutral = ([0.9, 0.4, 0.0], &[ValueType::Place][..], "");
        assert_eq!(credited(&kinds, neutral, NOWHERE, false), [0]);
    }

    #[test]
    fn a_key_without_a_reliable_type_takes_a_strong_likeness_z088() {
        let kinds = [(EAST, ValueType::None, "")];
        for (cosine, several, wanted) in [
            (0.34, true, false),
            (0.36, true, true),
            (0.49, false, false),
            (0.51, false, true),
        ] {
            let found = credited(&kinds, (like_east(cosine), &[ValueType::None], ""), NOWHERE, several);
            assert_eq!(found.len(), usize::from(wanted), "{cosine}");
        }
    }

    #[test]
    fn and_a_stronger_one_where_another_key_explains_the_fragment_z088() {
        let kinds = [(EAST, ValueType::None, ""), (like_east(0.5), ValueType::Date, "")];
        for (cosine, several, wanted) in [
            (0.49, true, false),
            (0.51, true, true),
            (0.59, false, false),
            (0.61, false, true),
        ] {
            let said = (like_east(cosine), &[ValueType::Date][..], "");
            let found = credited(&kinds, said, ClusterId(1), several);
            assert_eq!(found.len(), usize::from(wanted), "{cosine}");
        }
    }
}
