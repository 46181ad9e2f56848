//! A session of an engine in the load client's process: an operation is carried out on the load thread when the session is
//! polled. Sessions of a thread take turns.

use std::cell::Cell;
use std::collections::VecDeque;
use std::sync::Arc;
use std::task::{Context, Poll};

use fair_bench_load_client::clock::{Nanos, now};
use fair_bench_load_client::error::Error;
use fair_bench_load_client::outcome::{FaultCode, Outcome};
use fair_bench_load_client::plan::Endpoint;
use fair_bench_load_client::sessions::{Connected, Connector, LocalFuture, Outcomes, Place, Session, Spare};
use fair_bench_workload::{Reply, Values, Workload};
use serde::Deserialize;
use serde_json::Value;

use crate::engine::{Engine, EngineError, Result, Settings, failed, invalid};
use crate::execute::{Executor, Verdict};
use crate::plan::Plan;
use crate::program::Steps;

/// How long a session alone on its thread goes on before the thread looks at its time and its orders.
const TURN: Nanos = 100_000;
const TURN_OPERATIONS_MAX: u32 = 1_024;

thread_local! {
    static SESSIONS: Cell<u32> = const { Cell::new(0) };
}

/// What an endpoint's options are for an engine; others are for the other client.
#[derive(Deserialize)]
pub struct Options {
    /// How it is opened.
    pub settings: Settings,
    /// What its sessions carry out.
    pub steps: Value,
}

/// Opens the engine for the sessions of a trial.
pub fn connector<E: Engine>(endpoint: &Endpoint, workload: &Arc<Workload>) -> Box<dyn Connector> {
    Box::new(EngineConnector { opened: open::<E>(endpoint, workload) })
}

/// A failure is the one of the first session.
struct EngineConnector<E> {
    opened: Result<Opened<E>>,
}

struct Opened<E> {
    engine: E,
    plan: Arc<Plan>,
    /// How long opening it took.
    took: Nanos,
}

fn open<E: Engine>(endpoint: &Endpoint, workload: &Arc<Workload>) -> Result<Opened<E>> {
    let options = Value::Object(endpoint.options.clone());
    let Options { settings, steps } = serde_path_to_error::deserialize(&options)
        .map_err(|error| invalid(format!("plan.endpoint.options.{}: {}", error.path(), error.inner())))?;
    let steps =
        Steps::parse(&steps).map_err(|reason| invalid(format!("plan.endpoint.options.steps.{reason}")))?;
    let plan = Plan::new(workload, steps)?;
    if plan.scans() && !E::SCANS {
        return Err(invalid("this engine has no transaction that reads a range"));
    }
    let begun = now();
    let engine =
        E::open(&settings).map_err(|error| failed(format!("{}: {error}", settings.directory.display())))?;
    Ok(Opened { engine, plan: Arc::new(plan), took: now() - begun })
}

impl<E: Engine> Connector for EngineConnector<E> {
    fn connect(&self, _depth: u32) -> LocalFuture<Connected> {
        let session = self.session();
        Box::pin(async move { session })
    }

    fn is_in_process(&self) -> bool {
        true
    }

    fn has_batches(&self) -> bool {
        true
    }

    fn opened(&self) -> Option<Nanos> {
        self.opened.as_ref().ok().map(|opened| opened.took)
    }
}

impl<E: Engine> EngineConnector<E> {
    fn session(&self) -> Connected {
        let Opened { engine, plan, .. } =
            self.opened.as_ref().map_err(|reason| Error::refused(reason.to_string()))?;
        let handle = engine.handle().map_err(|error| Error::refused(error.to_string()))?;
        SESSIONS.set(SESSIONS.get() + 1);
        Ok(Box::new(EngineSession::<E> {
            handle,
            executor: Executor::new(plan),
            plan: Arc::clone(plan),
            waiting: VecDeque::new(),
            requests: Vec::new(),
            replies: Vec::new(),
            verdicts: Vec::new(),
            turn: Turn::Over,
            length: 1,
        }))
    }
}

struct EngineSession<E: Engine> {
    handle: E::Handle,
    executor: Executor,
    plan: Arc<Plan>,
    /// Requests that are not carried out yet.
    waiting: VecDeque<Place>,
    /// By place, its request: one operation, or a batch.
    requests: Vec<Vec<Values>>,
    /// Of a batch that is being carried out.
    #[expect(clippy::vec_box, reason = "a reply goes out in its box and comes back in it")]
    replies: Vec<Box<Reply>>,
    verdicts: Vec<Verdict>,
    turn: Turn,
    /// Operations of its next turn.
    length: u32,
}

enum Turn {
    Over,
    /// Since then, so many operations were carried out.
    Running(Nanos, u32),
}

impl<E: Engine> Session for EngineSession<E> {
    #[inline]
    fn send(&mut self, place: Place, values: &Values) {
        self.send_batch(place, std::slice::from_ref(values));
    }

    #[inline]
    fn send_batch(&mut self, place: Place, batch: &[Values]) {
        let number = place as usize;
        if number >= self.requests.len() {
            self.requests.resize_with(number + 1, Vec::new);
        }
        let copies = &mut self.requests[number];
        if copies.len() != batch.len() {
            copies.resize_with(batch.len(), Values::default);
        }
        copies.iter_mut().zip(batch).for_each(|(copy, values)| copy.clone_from(values));
        self.waiting.push_back(place);
    }

    #[inline]
    fn poll(&mut self, context: &mut Context<'_>, outcomes: &mut Outcomes) -> Poll<()> {
        let (since, carried_out) = match self.turn {
            Turn::Over => (now(), 0),
            Turn::Running(since, carried_out) => (since, carried_out),
        };
        if carried_out >= self.length {
            self.end_turn(since);
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        let Some(place) = self.waiting.pop_front() else {
            self.turn = Turn::Over;
            return Poll::Pending;
        };
        self.carry_out(place, outcomes);
        self.turn = Turn::Running(since, carried_out + 1);
        Poll::Ready(())
    }

    fn close(self: Box<Self>) -> LocalFuture<()> {
        drop(self);
        Box::pin(async {})
    }
}

impl<E: Engine> EngineSession<E> {
    /// A session that shares its thread carries one operation out and lets the others have theirs.
    fn end_turn(&mut self, since: Nanos) {
        self.turn = Turn::Over;
        if SESSIONS.get() > 1 {
            self.length = 1;
            return;
        }
        let took = now().saturating_sub(since).max(1);
        let fits = u64::from(self.length) * TURN / took;
        self.length = u32::try_from(fits).unwrap_or(u32::MAX).clamp(1, TURN_OPERATIONS_MAX);
    }

    #[inline]
    fn carry_out(&mut self, place: Place, outcomes: &mut Outcomes) {
        let [values] = self.requests[place as usize].as_slice() else {
            return self.carry_out_batch(place, outcomes);
        };
        let Self { handle, executor, plan, .. } = self;
        let columns = plan.reply_columns(values.operation);
        let mut reply = outcomes.spare.take(columns.unwrap_or_default());
        let done = if E::SCANS {
            executor.execute::<_, true>(handle, values, &mut reply)
        } else {
            executor.execute::<_, false>(handle, values, &mut reply)
        };
        if columns.is_some() && matches!(done, Ok(Verdict::Applied)) {
            return outcomes.push(place, Outcome::replied(reply));
        }
        outcomes.spare.put(Some(reply));
        let outcome = outcome_of(done, None, &mut outcomes.spare);
        outcomes.push(place, outcome);
    }

    fn carry_out_batch(&mut self, place: Place, outcomes: &mut Outcomes) {
        let Self { handle, executor, plan, requests, replies, verdicts, .. } = self;
        let batch = requests[place as usize].as_slice();
        let Outcomes { spare, settled } = outcomes;
        let columns = |values: &Values| plan.reply_columns(values.operation);
        replies.extend(batch.iter().map(|values| spare.take(columns(values).unwrap_or(0))));
        let done = if E::SCANS {
            executor.execute_batch::<_, true>(handle, batch, replies, verdicts)
        } else {
            executor.execute_batch::<_, false>(handle, batch, replies, verdicts)
        };
        for (number, (values, reply)) in batch.iter().zip(replies.drain(..)).enumerate() {
            let reply = if columns(values).is_some() {
                Some(reply)
            } else {
                spare.put(Some(reply));
                None
            };
            let verdict = done.clone().map(|()| verdicts[number].clone());
            settled.push((place, outcome_of(verdict, reply, spare)));
        }
    }
}

impl<E: Engine> Drop for EngineSession<E> {
    fn drop(&mut self) {
        SESSIONS.set(SESSIONS.get().saturating_sub(1));
    }
}

#[inline]
fn outcome_of(done: Result<Verdict>, reply: Option<Box<Reply>>, spare: &mut Spare) -> Outcome {
    let unfinished = match done {
        Ok(Verdict::Applied) => return reply.map_or(Outcome::APPLIED, Outcome::replied),
        Ok(Verdict::Declined(reason)) => Outcome::declined(reason),
        Ok(Verdict::Refused(code, message)) => Outcome::refused(code, message),
        Err(EngineError::InDoubt(message)) => Outcome::in_doubt(FaultCode::ServerError, message),
        Err(error @ EngineError::Conflict) => {
            Outcome::refused(FaultCode::SerializationFailure, error.to_string())
        }
        Err(EngineError::Failed(message) | EngineError::Invalid(message)) => {
            Outcome::refused(FaultCode::ServerError, message)
        }
    };
    spare.put(reply);
    unfinished
}
