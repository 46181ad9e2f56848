//! The threads of a trial, from the coordinator's view. It waits in one place for their events, for orders and for
//! times.

use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};

use super::course::{Context, Window};
use super::progress::Progress;
use crate::clock::{NEVER, Nanos, from_ms, now, of_machine_us};
use crate::counts::{KindCounts, Work};
use crate::engine::{self, Assignment, Event, Heard, Inbox, Report, Trial, WorkerCommand};
use crate::error::{Error, Result};
use crate::output::TrialEvent;
use crate::plan::{Order, Share, Timing};
use crate::recorder::Blocks;

/// How long a failed trial waits for its threads to close their sessions.
const ABORT: Nanos = from_ms(6000);
/// The coordinator looks at the clock again after this long, whatever it waits for.
const WAIT_MAX: Nanos = from_ms(60_000);

pub(super) struct Workers<'a> {
    trial: Arc<Trial>,
    emit: &'a dyn Fn(TrialEvent),
    inbox: &'a Inbox,
    stopped: bool,
    go: Option<Nanos>,
    window: Option<Window>,
    members: Vec<Member>,
    connected: usize,
    /// When the target counts as dead; `NEVER` while a session works.
    death: Nanos,
}

struct Member {
    commands: UnboundedSender<WorkerCommand>,
    thread: Option<JoinHandle<()>>,
    blocks: Arc<Blocks>,
    lost: Option<String>,
    report: Option<Report>,
    over: bool,
}

impl<'a> Workers<'a> {
    /// Starts the threads, which begin to connect.
    pub(super) fn start(trial: &Arc<Trial>, &Context { emit, inbox }: &Context<'a>) -> Result<Self> {
        let trial = Arc::clone(trial);
        let mut workers = Self {
            trial,
            emit,
            inbox,
            stopped: false,
            go: None,
            window: None,
            members: Vec::new(),
            connected: 0,
            death: NEVER,
        };
        for number in 0..workers.trial.plan.threads {
            let member = start_member(&workers.trial, number, inbox)?;
            workers.members.push(member);
        }
        Ok(workers)
    }

    pub(super) fn timing(&self) -> Timing {
        self.trial.plan.timing
    }

    /// Returns when every session is connected.
    pub(super) fn connected(&mut self) -> Result<()> {
        while self.connected < self.members.len() {
            self.hear(NEVER)?;
            if self.is_stopped() {
                return Err(Error::Stopped);
            }
        }
        Ok(())
    }

    /// Sends the first operations at that time.
    pub(super) fn begin(&self, at: Nanos) {
        self.send_all(|| WorkerCommand::Begin(at));
    }

    pub(super) fn set_window(&self, from: Nanos, until: Nanos) {
        self.send_all(|| WorkerCommand::Window(from, until));
    }

    /// Whether a `stop` was heard.
    pub(super) const fn is_stopped(&self) -> bool {
        self.stopped
    }

    /// When the trial is to begin, once that was ordered.
    pub(super) const fn go(&self) -> Option<Nanos> {
        self.go
    }

    /// The window, once it was ordered.
    pub(super) const fn window(&self) -> Option<Window> {
        self.window
    }

    /// Everything counted so far.
    pub(super) fn counts(&self) -> KindCounts {
        let mut sum = KindCounts::default();
        for member in &self.members {
            sum.merge(member.blocks.total.kinds());
        }
        sum
    }

    /// The same for the leader of the trial.
    pub(super) fn work(&self) -> Work {
        let mut sum = Work::default();
        for member in &self.members {
            sum.merge(member.blocks.work());
        }
        sum
    }

    /// Returns at that time, sooner when it `ends`; fails when the trial has failed.
    pub(super) fn wait_until(
        &mut self,
        time: Nanos,
        progress: &mut Progress<'_>,
        ends: fn(&Self) -> bool,
    ) -> Result<()> {
        while now() < time && !ends(self) {
            self.hear(time.min(progress.next_tick()))?;
            progress.tick(|| self.counts());
        }
        Ok(())
    }

    /// The reports of all threads in the order of their sessions, once they have drained and closed them.
    pub(super) fn reports(&mut self, progress: &mut Progress<'_>, timeout_ms: u64) -> Result<Vec<Report>> {
        let deadline = now().saturating_add(from_ms(timeout_ms));
        loop {
            let missing = self.members.iter().filter(|member| member.report.is_none()).count();
            if missing == 0 {
                return Ok(self.members.iter_mut().filter_map(|member| member.report.take()).collect());
            }
            if now() >= deadline {
                let all = self.members.len();
                let reason = format!("{missing} of {all} threads gave no report within {timeout_ms} ms");
                return Err(Error::Thread(reason));
            }
            self.hear(deadline.min(progress.next_tick()))?;
            progress.tick(|| self.counts());
        }
    }

    fn send_all(&self, command: impl Fn() -> WorkerCommand) {
        for member in &self.members {
            // A thread that has ended has reported why, or is about to.
            let _ended = member.commands.send(command());
        }
    }

    /// Waits for one order or event, at most until that time.
    fn hear(&mut self, until: Nanos) -> Result<()> {
        let time = now();
        if time >= self.death {
            return Err(self.reason_of_death());
        }
        let wait = until.min(self.death).saturating_sub(time).min(WAIT_MAX);
        match self.inbox.wait(Duration::from_nanos(wait)) {
            Some(Heard::Event(number, event)) => return self.note(number, event),
            Some(Heard::Order(Order::Stop)) => self.stopped = true,
            // A second one is ignored.
            Some(Heard::Order(Order::Go { at_us })) => {
                self.go = self.go.or_else(|| Some(of_machine_us(at_us)));
            }
            Some(Heard::Order(Order::Window { at_us, window_ms })) => {
                let ordered = Window { from: of_machine_us(at_us), length: from_ms(window_ms) };
                self.window = self.window.or(Some(ordered));
            }
            None => {}
        }
        Ok(())
    }

    fn note(&mut self, number: usize, event: Event) -> Result<()> {
        let member = &mut self.members[number];
        match event {
            Event::Connected => self.connected += 1,
            Event::Lost(message) => {
                member.lost = Some(message);
                // Without one success in the time of an operation's limit, the target is dead.
                if self.death == NEVER && self.members.iter().all(|member| member.lost.is_some()) {
                    self.death = now().saturating_add(from_ms(self.timing().operation_ms));
                }
            }
            Event::Canary(outcome) => (self.emit)(TrialEvent::Canary(outcome)),
            Event::Acknowledged(operation) => (self.emit)(TrialEvent::Acknowledged(operation)),
            Event::Recovered => {
                member.lost = None;
                self.death = NEVER;
            }
            Event::Report(report) => {
                member.report = Some(*report);
                member.over = true;
                // In the drain of the last threads, a dead target ends with the drain.
                self.death = NEVER;
            }
            Event::Aborted => {
                member.over = true;
                return Err(Error::Thread("a load thread has ended without a report".to_owned()));
            }
            Event::Failed(error) => {
                member.over = true;
                return Err(error);
            }
        }
        Ok(())
    }

    fn reason_of_death(&self) -> Error {
        let plan = &self.trial.plan;
        let last = self.members.iter().rev().find_map(|member| member.lost.clone());
        Error::TargetGone {
            endpoint: plan.endpoint.shown(),
            sessions: plan.share().session_count,
            operation_ms: plan.timing.operation_ms,
            last: last.unwrap_or_default(),
        }
    }
}

/// Ends what is left, in any state of the trial.
impl Drop for Workers<'_> {
    fn drop(&mut self) {
        self.send_all(|| WorkerCommand::Abort);
        let deadline = now() + ABORT;
        while self.members.iter().any(|member| !member.over) && now() < deadline {
            // Whatever else arrives, the trial already has its reason.
            let _reason = self.hear(deadline);
            self.death = NEVER;
        }
        for member in &mut self.members {
            if member.over
                && let Some(thread) = member.thread.take()
            {
                // A panic was caught in the thread, and reported.
                let _panic = thread.join();
            }
        }
    }
}

fn start_member(trial: &Arc<Trial>, number: u32, inbox: &Inbox) -> Result<Member> {
    let plan = &trial.plan;
    let Share { session_first, session_count } = plan.share();
    let first_of = |thread: u32| {
        session_first + (u64::from(session_count) * u64::from(thread) / u64::from(plan.threads)) as u32
    };
    let session_first = first_of(number);
    let blocks = Arc::new(Blocks::new(&trial.workload));
    let assignment = Assignment {
        trial: Arc::clone(trial),
        thread: number,
        session_first,
        session_count: first_of(number + 1) - session_first,
        blocks: Arc::clone(&blocks),
    };
    let (commands, receiver) = unbounded_channel();
    let emit = inbox.events(number as usize);
    let thread = std::thread::Builder::new()
        .name(format!("load-{number}"))
        .spawn(move || engine::run(assignment, receiver, emit))
        .map_err(|error| Error::Thread(format!("a load thread cannot be started: {error}")))?;
    Ok(Member { commands, thread: Some(thread), blocks, lost: None, report: None, over: false })
}
