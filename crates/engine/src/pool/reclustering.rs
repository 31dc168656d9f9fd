//! What a look at a whole pool is to change, as it lies in the journal: whole, or in parts that one record each can hold.
//!
//! Invariant: the parts of one, put together in order, are it.

use std::collections::BTreeMap;
use std::ops::Not;

use serde::Deserialize;
use serde::Serialize;

use crate::pool::heading::Heading;
use crate::pool::micro::ClusterId;
use crate::pool::micro::MicroId;

/// One cluster as reclustering found it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Group {
    /// The cluster that it goes on as ([`Reclustering::of`]), or a new one.
    pub cluster: ClusterId,
    /// Sorted.
    pub micros: Vec<MicroId>,
    /// What a reader says that it is; the engine says nothing of that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub heading: Option<Heading>,
}

/// What is to change. Micro-clusters that it does not name keep their cluster; those opened later are untouched.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reclustering {
    /// Fragments assigned when the pool was read.
    pub looked_at: u64,
    /// The pool's next id then; a group numbered from there on gets a fresh id when this is applied.
    pub next_id: u64,
    pub groups: Vec<Group>,
    /// Clusters that end, and the cluster that most of their members went to: what was known of the one holds for the
    /// other.
    pub absorbed: BTreeMap<ClusterId, ClusterId>,
    /// Cold singletons dropped to stay within `micros_max`.
    pub dropped: Vec<MicroId>,
    /// Whether it goes on in the next record ([`Reclustering::split`]).
    #[serde(default, skip_serializing_if = "Not::not")]
    pub more: bool,
}

/// Ids in one part. With twenty digits each and what stands around them they take 35 KiB of a record.
const PART_IDS_MAX: usize = 1_600;
/// What a group and a cluster that ends are counted as, beside the ids of a group's members: their names and numbers are as long.
const GROUP_IDS: usize = 2;
const ENDED_IDS: usize = 2;
/// Bytes of an id, with what stands around it: the words of a reader count as so many ids as they are long.
const ID_BYTES: usize = 22;

impl Reclustering {
    /// In as many parts as records are needed: those before the last, in order, and the last. The pool puts them together again
    /// (`Pool::gather`).
    pub fn split(self) -> (Vec<Reclustering>, Reclustering) {
        let blank = Reclustering {
            groups: Vec::new(),
            absorbed: BTreeMap::new(),
            dropped: Vec::new(),
            more: true,
            ..self
        };
        let mut earlier = Vec::new();
        let mut part = blank.clone();
        let mut ids = 0;
        let mut make_room = |part: &mut Reclustering, more: usize| {
            if ids > 0 && ids + more > PART_IDS_MAX {
                earlier.push(std::mem::replace(part, blank.clone()));
                ids = 0;
            }
            ids += more;
        };
        for Group {
            cluster,
            micros,
            heading,
        } in self.groups
        {
            if heading.is_some() {
                let bytes = serde_json::to_vec(&heading).map_or(0, |heading| heading.len());
                make_room(&mut part, GROUP_IDS + bytes / ID_BYTES);
                part.add(cluster, &[], heading);
            }
            for micros in micros.chunks(PART_IDS_MAX - GROUP_IDS) {
                make_room(&mut part, GROUP_IDS + micros.len());
                part.add(cluster, micros, None);
            }
        }
        for (ended, heir) in self.absorbed {
            make_room(&mut part, ENDED_IDS);
            part.absorbed.insert(ended, heir);
        }
        for micro in self.dropped {
            make_room(&mut part, 1);
            part.dropped.push(micro);
        }
        part.more = false;
        (earlier, part)
    }

    /// Adds the part that follows.
    pub fn extend(&mut self, part: &Reclustering) {
        for group in &part.groups {
            self.add(group.cluster, &group.micros, group.heading.clone());
        }
        self.absorbed.extend(&part.absorbed);
        self.dropped.extend(&part.dropped);
        self.more = part.more;
    }

    /// Adds to a group, which may have begun in an earlier part.
    fn add(&mut self, cluster: ClusterId, micros: &[MicroId], heading: Option<Heading>) {
        match self.groups.last_mut().filter(|last| last.cluster == cluster) {
            Some(last) => last.micros.extend(micros),
            None => self.groups.push(Group {
                cluster,
                micros: micros.to_vec(),
                heading,
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pool::heading::Wish;
    use crate::pool::micro::FragmentId;
    use crate::pool::state::Pool;
    use schema::key::KeyType;
    use schema::name::KeyName;

    /// Bytes that a part may take: far below what the store takes as one record.
    const RECORD_BYTES_MAX: usize = 48 << 10;

    /// As long as one can be.
    fn heading() -> Heading {
        let text = |letters: usize| "𝄞".repeat(letters);
        let mut wish = Wish {
            key_name: KeyName::parse(&"k".repeat(64)).expect("a name"),
            title: Some(text(80)),
            key_type: KeyType::String,
            unit: Some(text(80)),
            values: vec![text(80); 64],
            description: text(300),
            sensitive: None,
            ids: (0..2_000)
                .map(|id| FragmentId {
                    submission: 10_000_000 + id,
                    ordinal: 0,
                })
                .collect(),
            denied: Vec::new(),
            by: text(64),
            by_hand: false,
        };
        wish.denied.clone_from(&wish.ids);
        wish.bound();
        Heading::Wish(Box::new(wish))
    }

    fn reclustering(groups: &[usize], absorbed: u64, dropped: u64) -> Reclustering {
        // The longest ids that there are.
        let mut ids = (0..u64::MAX).rev();
        let groups = groups.iter().map(|members| Group {
            cluster: ClusterId(ids.next().expect("an id")),
            micros: ids.by_ref().take(*members).map(MicroId).collect(),
            heading: (*members % 7 == 0).then(heading),
        });
        Reclustering {
            looked_at: 7,
            next_id: 9,
            groups: groups.collect(),
            absorbed: (0..absorbed)
                .map(|id| (ClusterId(u64::MAX - id), ClusterId(u64::MAX)))
                .collect(),
            dropped: (0..dropped).map(|id| MicroId(u64::MAX - id)).collect(),
            more: false,
        }
    }

    #[test]
    fn the_parts_of_a_look_make_it_again_and_a_record_each_holds_them_z096() {
        for (groups, absorbed, dropped, records) in [
            (vec![], 0, 0, 1),
            (vec![1], 1, 1, 1),
            // As many as one part takes, and one more.
            (vec![PART_IDS_MAX - GROUP_IDS], 0, 0, 1),
            (vec![PART_IDS_MAX - GROUP_IDS + 1], 0, 0, 2),
            // One cluster that no part can hold, and twenty thousand of one each.
            (vec![20_000], 0, 0, 13),
            (vec![1; 20_000], 20_000, 20_000, 76),
            (vec![9, 5_000, 1, 1], 700, 3, 6),
            // The words of a reader.
            (vec![7; 3], 1, 1, 6),
            (vec![7_000, 1], 0, 0, 6),
        ] {
            let whole = reclustering(&groups, absorbed, dropped);
            let (mut parts, last) = whole.clone().split();
            parts.push(last);
            assert_eq!(parts.len(), records, "{} groups", groups.len());
            let mut pool = Pool::default();
            for (place, part) in (1..).zip(&parts) {
                let bytes = serde_json::to_vec(part).expect("JSON").len();
                assert!(bytes < RECORD_BYTES_MAX - 512, "{bytes} bytes");
                let gathered = pool.gather(part);
                assert_eq!(gathered.is_some(), place == records, "part {place}");
                if let Some(gathered) = gathered {
                    assert_eq!(gathered, whole);
                }
                // A snapshot taken in between holds what came so far.
                let held = serde_json::to_vec(&pool).expect("JSON");
                assert_eq!(serde_json::from_slice::<Pool>(&held).expect("a pool"), pool);
            }
            assert_eq!(pool, Pool::default());
        }
    }

    #[test]
    fn what_one_record_holds_is_written_as_it_was_before_there_were_parts() {
        let (earlier, last) = reclustering(&[3, 1], 2, 2).split();
        assert_eq!((earlier.len(), &last), (0, &reclustering(&[3, 1], 2, 2)));
        assert_eq!(serde_json::to_value(last).expect("JSON").get("more"), None);
    }
}
