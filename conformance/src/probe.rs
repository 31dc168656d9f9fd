//! The requests that may be sent, each once and in the order in which they stand here, and what each is made of.

use crate::scratch::DEFECTS;
use crate::scratch::Defect;

/// Names the requests, in order, each with those without whose answers it cannot be made or judged.
macro_rules! probes {
    ($($name:ident [$($needed:ident)*])*) => {
        /// One request.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Probe {
            $($name,)*
            /// A template that no server may take.
            Defective(Defect),
            /// The last two: what was published is retired.
            Retire,
            Retired,
        }

        /// Every request, in the order in which they are sent.
        pub fn all() -> Vec<Probe> {
            let mut all = vec![$(Probe::$name),*];
            all.extend(DEFECTS.iter().map(|defect| Probe::Defective(*defect)));
            all.extend([Probe::Retire, Probe::Retired]);
            all
        }

        impl Probe {
            /// Requests without whose answers this one cannot be made or judged.
            pub fn needs(self) -> &'static [Probe] {
                match self {
                    $(Probe::$name => &[$(Probe::$needed),*],)*
                    Probe::Defective(_) | Probe::Retire => &[Probe::Publish],
                    Probe::Retired => &[Probe::Publish, Probe::Negotiate, Probe::Least, Probe::Retire],
                }
            }
        }
    };
}

// Without a scratch scenario the listing says which one is looked at.
probes! {
    Listing         []
    Publish         []
    PublishAgain    [Publish]
    PublishChanged  [Publish]
    Negotiate       [Listing Publish]
    NegotiateAgain  [Negotiate]
    Wrapped         [Negotiate]
    Foreign         [Negotiate]
    Translated      [Negotiate]
    UnknownScenario []
    Spelled         [Negotiate]
    Template        [Negotiate]
    Held            [Negotiate Template]
    Settled         [Negotiate Template]
    Stored          [Negotiate]
    Least           [Negotiate]
    Full            [Negotiate Least]
    Fresh           [Negotiate Least]
    Empty           [Negotiate Least]
    Misfit          [Negotiate Least]
    Nulls           [Negotiate Least]
    Stranger        [Negotiate Least]
    OtherText       [Negotiate Least]
    OtherList       [Negotiate Least]
    OtherLong       [Negotiate Least]
    OtherEmpty      [Negotiate Least]
    OtherHostile    [Negotiate Least]
    OtherNumber     [Negotiate Least]
    UnknownSchema   [Negotiate Least]
    BrokenJson      [Negotiate Least]
    PayloadList     [Negotiate Least]
    Updates         [Negotiate]
    Withdrawn       [Negotiate Least Updates]
    Stale           [Negotiate Least]
}

impl Probe {
    /// Whether it is a submission.
    pub fn is_submission(self) -> bool {
        self == Probe::Least || self.needs().contains(&Probe::Least)
    }
}

#[cfg(test)]
mod tests {
    use super::Probe;
    use super::all;

    #[test]
    fn a_request_needs_only_what_was_sent_before() {
        let all = all();
        assert!(all.is_sorted() && all.first() == Some(&Probe::Listing), "{all:?}");
        for probe in &all {
            assert!(probe.needs().iter().all(|needed| needed < probe), "{probe:?}");
        }
    }
}
