//! Pools as large as one likes, the same on every run.

use std::collections::BTreeMap;

use engine::pool::analysis::Analysis;
use engine::pool::assignment::Assignment;
use engine::pool::heading::Heading;
use engine::pool::heat::Heat;
use engine::pool::micro::ClusterId;
use engine::pool::micro::FragmentId;
use engine::pool::micro::MicroId;
use engine::pool::reclustering::Group;
use engine::pool::reclustering::Reclustering;
use engine::pool::state::Pool;
use schema::name::ClientId;
use schema::time::At;
use text::vector::Vector;

/// Vectors that differ, without a source of randomness.
pub fn vectors() -> impl Iterator<Item = Vector> {
    let mut seed = 0x2545_F491_4F6C_DD1D_u64;
    std::iter::from_fn(move || {
        let values: Vec<f32> = (0..384)
            .map(|_| {
                seed ^= seed << 13;
                seed ^= seed >> 7;
                seed ^= seed << 17;
                f32::from(u16::try_from(seed & 0xFFFF).unwrap_or(0)) / 32_768.0 - 1.0
            })
            .collect();
        Vector::quantise(&values)
    })
}

/// Wishes that a pool speaks of.
const WISHES: usize = 40;

/// Vectors of so many fragments, of forty wishes in turn, each in its own words.
fn said(fragments: usize) -> Vec<Vector> {
    let mut own = vectors();
    let wishes: Vec<Vector> = own.by_ref().take(WISHES).collect();
    let in_own_words = |(number, own): (usize, Vector)| {
        let wish = wishes[number % WISHES].components().iter();
        let values = wish.zip(own.components());
        let values: Vec<f32> = values
            .map(|(wish, own)| f32::from(*wish) + 0.6 * f32::from(*own))
            .collect();
        Vector::quantise(&values).expect("a vector")
    };
    own.take(fragments).enumerate().map(in_own_words).collect()
}

/// A pool of so many micro-clusters in forty wishes, each in its own words and said by so many clients. Of the first `read` of them a
/// reader said what each is. None is searched for, which would take as long as all of the rest.
pub fn pool_of(micros: usize, times: u64, read: usize) -> Pool {
    let mut pool = Pool::default();
    let heat = Heat { micro: 0, at: At(0) };
    for (number, vector) in (0..).zip(said(micros)) {
        for time in 0..times {
            let submission = number * times + time;
            let joined = Assignment::Joined {
                fragment: FragmentId { submission, ordinal: 0 },
                micro: MicroId(number),
                cluster: ClusterId(number),
                opened: time == 0,
                requested: false,
                reading: Analysis::default(),
                vector: vector.clone(),
                heat,
                capped_heat: heat,
                cluster_heat_micro: 0,
            };
            let client = ClientId::parse(&format!("client-{time}"));
            pool.apply(&joined, client.as_ref(), At(0));
        }
    }
    let alone = |number| Group {
        cluster: ClusterId(number),
        micros: vec![MicroId(number)],
        heading: Some(Heading::Nothing),
    };
    let regrouping = Reclustering {
        looked_at: pool.demand,
        next_id: pool.next_id,
        groups: (0..).take(read).map(alone).collect(),
        absorbed: BTreeMap::new(),
        dropped: Vec::new(),
        more: false,
    };
    pool.apply_reclustering(&regrouping, At(0));
    pool
}
