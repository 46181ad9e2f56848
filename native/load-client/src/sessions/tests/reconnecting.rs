use std::cell::RefCell;
use std::collections::VecDeque;
use std::task::Waker;

use super::*;
use crate::outcome::{FaultCode, Verdict};

/// What became of the connections: the places sent on each, by its number, and how often it is polled before it ends.
#[derive(Default)]
struct Script {
    sent: Vec<Vec<Place>>,
    /// For each attempt, whether it succeeds.
    opens: VecDeque<bool>,
    ends: bool,
}

struct Double {
    number: usize,
    outstanding: Vec<Place>,
    script: Rc<RefCell<Script>>,
}

impl Link for Double {
    fn send(&mut self, place: Place, _values: &Values) {
        self.outstanding.push(place);
        self.script.borrow_mut().sent[self.number].push(place);
    }

    fn poll(&mut self, _context: &mut Context<'_>, _outcomes: &mut Outcomes) -> Poll<Result<()>> {
        let ends = std::mem::take(&mut self.script.borrow_mut().ends);
        if ends { Poll::Ready(Err(Error::Ended("cut".to_owned()))) } else { Poll::Pending }
    }

    fn lose(&mut self, end: Error, outcomes: &mut Outcomes) {
        for place in self.outstanding.drain(..) {
            outcomes.push(place, Outcome::in_doubt(FaultCode::ConnectionLost, end.to_string()));
        }
    }

    fn close(self: Box<Self>) -> LocalFuture<()> {
        Box::pin(async {})
    }
}

fn link(script: &Rc<RefCell<Script>>) -> Double {
    script.borrow_mut().sent.push(Vec::new());
    let number = script.borrow().sent.len() - 1;
    Double { number, outstanding: Vec::new(), script: Rc::clone(script) }
}

fn session(script: &Rc<RefCell<Script>>) -> Reconnecting<Double> {
    let shared = Rc::clone(script);
    let open: Open<Double> = Rc::new(move || {
        let opens = shared.borrow_mut().opens.pop_front();
        let opened = if opens == Some(true) {
            Ok(link(&shared))
        } else {
            Err(Error::Refused { code: FaultCode::Overloaded, reason: "full".to_owned() })
        };
        Box::pin(async { opened })
    });
    Reconnecting::new(link(script), open)
}

/// The faults by place of one poll: whether they are in doubt.
fn faults(session: &mut Reconnecting<Double>) -> Vec<(Place, FaultCode, bool)> {
    let mut outcomes = Outcomes::default();
    let _ready = session.poll(&mut Context::from_waker(Waker::noop()), &mut outcomes);
    let fault = |(place, outcome): (Place, Outcome)| match outcome.verdict {
        Verdict::Fault(fault) => (place, fault.code, fault.in_doubt),
        verdict => panic!("{verdict:?}"),
    };
    outcomes.settled.into_iter().map(fault).collect()
}

#[test]
fn what_was_sent_on_a_lost_connection_is_in_doubt_and_only_what_comes_next_goes_out_on_another() {
    let script = Rc::new(RefCell::new(Script { opens: [true].into(), ..Script::default() }));
    let mut session = session(&script);
    let values = Values::default();
    session.send(0, &values);
    session.send(1, &values);
    script.borrow_mut().ends = true;
    let lost = FaultCode::ConnectionLost;
    assert_eq!(faults(&mut session), [(0, lost, true), (1, lost, true)]);
    session.send(1, &values);
    session.send(2, &values);
    assert_eq!(faults(&mut session), []);
    assert_eq!(script.borrow().sent, [vec![0, 1], vec![1, 2]]);
}

#[test]
fn without_another_connection_what_waited_is_refused_with_its_fault_and_the_next_send_tries_again() {
    let script = Rc::new(RefCell::new(Script { opens: [false, true].into(), ..Script::default() }));
    let mut session = session(&script);
    let values = Values::default();
    script.borrow_mut().ends = true;
    assert_eq!(faults(&mut session), []);
    session.send(3, &values);
    assert_eq!(faults(&mut session), [(3, FaultCode::Overloaded, false)]);
    session.send(3, &values);
    assert_eq!(faults(&mut session), []);
    assert_eq!(script.borrow().sent, [vec![], vec![3]]);
}
