//! What waited in the journal alone, read back by a history.

use engine::scenario::event::Event;
use engine::scenario::recall::Recall;

use super::History;

impl History {
    /// Reads back what waits in the journal alone; facts may come meanwhile.
    pub fn recall(&mut self) {
        let mut recall = Recall::wanted(&self.state, &self.policy).expect("something waits");
        let erased_through = self.state.erased_through;
        let first = self.entries.partition_point(|entry| entry.seq < recall.next());
        for entry in &self.entries[first..] {
            let submitted = match &entry.event {
                Event::Submitted(submitted) => Some(submitted),
                _ => None,
            };
            if !recall.take(entry.seq, entry.at, submitted, entry.seq <= erased_through) {
                break;
            }
        }
        if self.random.one_in(3) {
            self.submit();
        }
        let command = recall.finish();
        self.recalled += u64::from(self.happens(command.clone()));
        assert!(!self.happens(command), "recalled twice");
    }
}
