//! The floors: a group becomes a key only when it is large next to the demand and next to the other groups (Z-096).

use crate::domain::pool::policy::PoolPolicy;

/// A group with fewer members than a mature one needs this share of all demand: in a pool of twelve fragments five are
/// a lot, in a pool of hundreds they are an accident.
const SMALL_SHARE_MIN: f64 = 0.10;

/// The floors of one look.
#[derive(Clone, Copy, Debug)]
pub struct Floors {
    /// Members that any key needs.
    least: f64,
    /// Members that a group needs which was not mature enough to be cut by type and role.
    least_small: f64,
    mature: u64,
}

impl Floors {
    /// The floors for a demand and the sizes of the groups that compete.
    pub fn of(policy: &PoolPolicy, demand: u64, sizes: &[u64]) -> Floors {
        let whole = sizes.iter().sum::<u64>().max(1) as f64;
        let mean_size = sizes.iter().map(|&size| (size as f64).powi(2)).sum::<f64>() / whole;
        let demand = demand as f64;
        let least = (policy.floor_share * demand).max(policy.floor_relative * mean_size);
        let sources = policy.mature_members_min.min(policy.gate_clients_min) as f64;
        Floors {
            least,
            least_small: least.max(sources).max(SMALL_SHARE_MIN * demand),
            mature: policy.mature_members_min,
        }
    }

    /// Whether a group of so many members passes.
    pub fn pass(&self, members: u64) -> bool {
        let floor = if members >= self.mature {
            self.least
        } else {
            self.least_small
        };
        members as f64 >= floor
    }
}

#[cfg(test)]
mod tests {
    use super::Floors;
    use crate::domain::pool::policy::PoolPolicy;

    fn floors(demand: u64, sizes: &[u64]) -> Floors {
        Floors::of(&PoolPolicy::default(), demand, sizes)
    }

    #[test]
    fn a_key_needs_its_share_of_the_demand_z096() {
        let floors = floors(1_000, &[20, 19]);
        assert!(floors.pass(20));
        assert!(!floors.pass(19));
    }

    #[test]
    fn a_key_is_large_next_to_the_others_z096() {
        let floors = floors(100, &[60]);
        assert!(floors.pass(12));
        assert!(!floors.pass(11));
    }

    #[test]
    fn five_of_a_few_are_enough_and_five_of_many_are_not_z095_z096() {
        assert!(floors(12, &[5]).pass(5));
        assert!(!floors(12, &[5]).pass(4));
        assert!(floors(50, &[5]).pass(5));
        assert!(!floors(51, &[5]).pass(5));
        assert!(floors(400, &[10]).pass(10));
        assert!(!floors(400, &[10]).pass(9));
    }
}
