//! Pools as large as one likes, the same on every run.

use engine::pool::micro::FragmentId;
use engine::pool::placement::Embedded;
use engine::pool::policy::PoolPolicy;
use engine::pool::reading;
use engine::pool::state::Pool;
use engine::pool::vector::Vector;
use schema::name::ClientId;
use schema::time::At;

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

/// A pool of so many micro-clusters in forty wishes, each in its own words and said by so many clients.
pub fn pool_of(micros: usize, said: u64) -> Pool {
    const SAID: [&str; 8] = [
        "leaving on March 3rd",
        "returning on May 4th",
        "from Boston",
        "to Chicago",
        "for two nights",
        "3 tickets",
        "around 150 dollars",
        "by the window",
    ];
    const WISHES: usize = 40;
    let policy = PoolPolicy::default();
    let mut own = vectors();
    let wishes: Vec<Vector> = own.by_ref().take(WISHES).collect();
    let mut pool = Pool::default();
    let mut submission = 0;
    for (number, own) in own.take(micros).enumerate() {
        let wish = &wishes[number % WISHES];
        let values: Vec<f32> = wish
            .components()
            .iter()
            .zip(own.components())
            .map(|(wish, own)| f32::from(*wish) + 0.6 * f32::from(*own))
            .collect();
        let embedded = Embedded {
            reading: reading::read(SAID[number % WISHES % SAID.len()]).expect("demand"),
            vector: Vector::quantise(&values).expect("a vector"),
            covered_by: None,
        };
        for time in 0..said {
            submission += 1;
            let client = ClientId::parse(&format!("client-{time}"));
            let id = FragmentId { submission, ordinal: 0 };
            for placement in pool.place(vec![(id, embedded.clone())], client.as_ref(), At(0), &policy) {
                pool.apply(&placement, client.as_ref(), At(0));
            }
        }
    }
    pool
}
