//! A thousand wishes of air passengers, the few said often and the many seldom.

const WISHES: [&str; 40] = [
    "a window seat",
    "an aisle seat",
    "extra legroom",
    "a vegetarian meal",
    "a halal meal",
    "a gluten-free meal",
    "no stopover",
    "a wheelchair at the gate",
    "two checked bags",
    "a bassinet for the baby",
    "space for a bicycle",
    "space for a cello",
    "a small dog in the cabin",
    "an early departure",
    "a late arrival",
    "a refundable fare",
    "a seat beside my daughter",
    "help for a child who flies alone",
    "lounge access",
    "priority boarding",
    "travel insurance",
    "an invoice to the company",
    "miles credited to my account",
    "a quiet row",
    "a power socket",
    "wireless internet",
    "a hotel at the airport",
    "a transfer to the centre",
    "a rental car on arrival",
    "a later return",
    "an upgrade with points",
    "a seat at the front",
    "no red-eye flight",
    "the cheapest connection",
    "one ticket for all legs",
    "a blanket and a pillow",
    "a visa check",
    "an oxygen supply on board",
    "skis as luggage",
    "a seat far from the toilets",
];
const FRAMES: [&str; 25] = [
    "{}",
    "{} please",
    "please {}",
    "I would like {}",
    "we need {}",
    "if possible {}",
    "could we have {}",
    "{} would be great",
    "my client asks for {}",
    "{}, it is important",
    "do not forget {}",
    "I always take {}",
    "is {} possible",
    "must have {}",
    "prefer {}",
    "{} for both of us",
    "{} on the way back too",
    "we want {}",
    "kindly arrange {}",
    "the traveller wants {}",
    "{} if it costs nothing",
    "add {}",
    "{} for my mother",
    "he asked again for {}",
    "hoping for {}",
];

/// Chooses wishes: the r-th of the thousand in proportion to 1/r.
pub struct Wishes {
    state: u64,
    weights: Vec<f64>,
}

impl Wishes {
    pub fn new(seed: usize) -> Self {
        let mut sum = 0.0;
        let weights = (1..=WISHES.len() * FRAMES.len()).map(|rank| {
            #[expect(clippy::cast_precision_loss, reason = "a rank below a thousand")]
            let weight = 1.0 / rank as f64;
            sum += weight;
            sum
        });
        // Any odd number starts the sequence; each seed has its own.
        Self {
            weights: weights.collect(),
            state: seed as u64 * 2 + 1,
        }
    }

    pub fn next(&mut self) -> String {
        // Knuth's multiplier and increment of a linear congruential sequence; its upper bits are the good ones.
        self.state = self
            .state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        #[expect(clippy::cast_precision_loss, reason = "31 bits")]
        let share = (self.state >> 33) as f64 / (1_u64 << 31) as f64;
        let sum = self.weights.last().copied().unwrap_or_default();
        let rank = self
            .weights
            .partition_point(|weight| *weight < share * sum)
            .min(self.weights.len() - 1);
        // The rank's wish and frame: neighbours in rank differ in both.
        let (wish, frame) = (rank % WISHES.len(), rank / WISHES.len());
        FRAMES[frame].replace("{}", WISHES[wish])
    }
}
