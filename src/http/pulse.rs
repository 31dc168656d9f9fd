//! Whether somebody still listens to a stream that has nothing to say.

use std::future::Future;
use std::pin::Pin;
use std::task::Context;
use std::task::Poll;
use std::time::Duration;

use actix_web::web::Bytes;
use tokio::time::Sleep;

/// What is sent to feel whether a reader is there, and after which pauses again.
const FELT: &[u8] = b":\n\n";
const FEELING: [Duration; 2] = [Duration::from_millis(200), Duration::from_secs(2)];

/// Feels whether a reader is still there. The listener lets a client close its own half and go on reading, and learns that it
/// closed both only when what it writes fails. A body that has nothing to say is asked anew when something came of its
/// connection: then a few comments are sent, the second of which fails where nobody is there.
#[derive(Default)]
pub struct Pulse {
    /// Whether it had nothing to say when it was asked before.
    silent: bool,
    sent: usize,
    again: Option<Pin<Box<Sleep>>>,
}

impl Pulse {
    /// Something was told.
    pub fn told(&mut self) {
        *self = Pulse::default();
    }

    /// There is nothing to tell: a comment to feel with, where something may have come of the connection.
    pub fn poll(&mut self, context: &mut Context<'_>) -> Poll<Bytes> {
        let stirred = match &mut self.again {
            Some(again) => again.as_mut().poll(context).is_ready(),
            None => self.silent && self.sent == 0,
        };
        self.silent = true;
        if !stirred {
            return Poll::Pending;
        }
        let pause = FEELING.get(self.sent);
        self.again = pause.map(|pause| Box::pin(tokio::time::sleep(*pause)));
        self.sent += 1;
        Poll::Ready(Bytes::from_static(FELT))
    }
}

#[cfg(test)]
mod tests {
    use std::task::Context;
    use std::task::Poll;
    use std::task::Waker;

    use super::FEELING;
    use super::FELT;
    use super::Pulse;

    fn comments(pulse: &mut Pulse) -> usize {
        let mut context = Context::from_waker(Waker::noop());
        let mut comments = 0;
        while let Poll::Ready(comment) = pulse.poll(&mut context) {
            assert_eq!(comment, FELT);
            comments += 1;
        }
        comments
    }

    #[tokio::test]
    async fn who_is_asked_again_without_news_feels_a_few_times_whether_anybody_is_there() {
        let mut pulse = Pulse::default();
        assert_eq!(comments(&mut pulse), 0, "nothing to say yet");
        assert_eq!(comments(&mut pulse), 1, "something came of the connection");
        assert_eq!(comments(&mut pulse), 0, "it waits a while");
        for pause in FEELING {
            tokio::time::sleep(pause * 3 / 2).await;
            assert_eq!(comments(&mut pulse), 1);
        }
        assert_eq!(comments(&mut pulse), 0, "no more until something was told");
        pulse.told();
        assert_eq!([comments(&mut pulse), comments(&mut pulse)], [0, 1]);
    }
}
