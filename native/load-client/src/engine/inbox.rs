//! Where the coordinator waits: commands of the runner and events of the load threads arrive in one queue.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use super::assignment::{Emit, Event};
use crate::plan::Order;

/// What arrives.
pub enum Heard {
    /// A command after the plan.
    Order(Order),
    /// From the load thread of this number.
    Event(usize, Event),
}

/// The coordinator's queue.
pub struct Inbox {
    sender: Sender<Heard>,
    receiver: Receiver<Heard>,
}

impl Default for Inbox {
    fn default() -> Self {
        let (sender, receiver) = channel();
        Self { sender, receiver }
    }
}

impl Inbox {
    /// Takes orders, on any thread. After the trial nobody receives them.
    pub fn orders(&self) -> impl Fn(Order) + Send + use<> {
        let sender = self.sender.clone();
        move |order| {
            let _over = sender.send(Heard::Order(order));
        }
    }

    /// Takes the events of a load thread. The coordinator may have given up waiting.
    #[must_use]
    pub fn events(&self, thread: usize) -> Emit {
        let sender = self.sender.clone();
        Arc::new(move |event| {
            let _gone = sender.send(Heard::Event(thread, event));
        })
    }

    /// The next one; `None` when none arrives in time.
    #[must_use]
    pub fn wait(&self, timeout: Duration) -> Option<Heard> {
        self.receiver.recv_timeout(timeout).ok()
    }
}
