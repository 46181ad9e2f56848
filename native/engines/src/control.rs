//! The control plane of an engine without a package for Node: one command a line on standard input, one answer a line on
//! standard output. It opens the engine for a command after `open`, and holds it until `close` or the end of its input.

use std::io::{BufRead as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use fair_bench_load_client::outcome::FaultCode;
use fair_bench_workload::{Reply, Values, Workload};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::engine::{
    Engine, EngineError, Finish, Handle, Range, Read as _, Result, Settings, Write as _, invalid,
};
use crate::execute::{Executor, Verdict};
use crate::plan::Plan;
use crate::program::Steps;
use crate::rows::Table;

/// A command.
#[derive(Deserialize)]
#[serde(tag = "do", rename_all = "kebab-case", deny_unknown_fields)]
enum Command {
    /// Opens the engine in a directory; answers its settings in force.
    Open { settings: Settings, steps: Value },
    /// Prepares to execute operations of a workload, as it is in a trial plan.
    Workload { workload: Value, steps: Value },
    /// Inserts rows or replaces them, in one transaction.
    Load { table: usize, rows: Vec<Vec<Value>> },
    /// Answers so many rows with keys beyond `after`, in their order.
    Scan { table: usize, after: Option<Vec<Value>>, limit: usize },
    /// Answers the rows that have these keys, in their order; a missing one is left out.
    Read { table: usize, keys: Vec<Vec<Value>> },
    /// Removes all rows of a table.
    Clear { table: usize },
    /// Carries operations out, each its number and its arguments, in one transaction; answers their outcomes.
    Execute { operations: Vec<(u32, Vec<Value>)> },
    /// Compacts the engine's files, or writes a compact copy into an empty directory; answers whether the engine can.
    Compact { into: PathBuf },
    /// Closes the engine.
    Close {},
}

/// Answers the commands of standard input until it ends; then the engine is closed.
pub fn serve<E: Engine>() {
    let mut control = Control::<E>::new();
    let mut output = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let Ok(line) = line else { break };
        let answer = match control.answer(&line) {
            Ok(answer) => json!({ "ok": answer }),
            Err(error) => json!({ "error": error.to_string() }),
        };
        // With nobody to read the answer there is nothing left to do.
        if writeln!(output, "{answer}").and_then(|()| output.flush()).is_err() {
            break;
        }
    }
}

/// The control plane of one engine.
pub struct Control<E: Engine> {
    // The handle is dropped before its engine.
    execution: Option<(Arc<Workload>, Executor)>,
    open: Option<Open<E>>,
}

struct Open<E: Engine> {
    handle: E::Handle,
    tables: Vec<Table>,
    /// Closed when it is dropped.
    engine: E,
}

/// Keys and values of a table's rows.
type Entries = Vec<(Vec<u8>, Vec<u8>)>;

impl<E: Engine> Control<E> {
    /// Of a closed engine.
    #[must_use]
    pub const fn new() -> Self {
        Self { execution: None, open: None }
    }

    /// Answers one command.
    ///
    /// # Errors
    /// One sentence.
    pub fn answer(&mut self, line: &str) -> Result<Value> {
        match serde_json::from_str(line).map_err(|error| invalid(format!("no command: {error}")))? {
            Command::Open { settings, steps } => self.open(&settings, &steps),
            Command::Close {} => {
                (self.execution, self.open) = (None, None);
                Ok(Value::Null)
            }
            Command::Workload { workload, steps } => {
                let workload =
                    Arc::new(Workload::parse(&workload).map_err(|error| invalid(error.to_string()))?);
                let plan = Arc::new(Plan::new(&workload, Steps::parse(&steps)?)?);
                self.execution = Some((workload, Executor::new(&plan)));
                Ok(Value::Null)
            }
            Command::Execute { operations } => self.execute(&operations),
            Command::Load { table, rows } => self.opened()?.load(table, &rows),
            Command::Scan { table, after, limit } => self.opened()?.scan(table, after.as_deref(), limit),
            Command::Read { table, keys } => self.opened()?.read(table, &keys),
            Command::Clear { table } => self.opened()?.clear(table),
            Command::Compact { into } => self.compact(&into),
        }
    }
    fn open(&mut self, settings: &Settings, steps: &Value) -> Result<Value> {
        self.open = None;
        let tables = Steps::parse(steps)?.stored()?;
        let engine = E::open(settings)?;
        let in_force = engine.settings()?;
        let named: serde_json::Map<_, _> = in_force
            .into_iter()
            .map(|setting| (setting.name.to_owned(), json!({ "value": setting.value, "read": setting.read })))
            .collect();
        self.open = Some(Open { handle: engine.handle()?, tables, engine });
        Ok(json!({ "version": E::version(), "settings": named, "scans": E::SCANS }))
    }

    fn compact(&mut self, into: &Path) -> Result<Value> {
        self.execution = None;
        let Open { handle, tables, mut engine } =
            self.open.take().ok_or_else(|| invalid("the engine is not open"))?;
        // An engine may have to be alone.
        drop(handle);
        let compacted = engine.compact(into);
        self.open = Some(Open { handle: engine.handle()?, tables, engine });
        Ok(Value::Bool(compacted?))
    }

    fn opened(&mut self) -> Result<&mut Open<E>> {
        self.open.as_mut().ok_or_else(|| invalid("the engine is not open"))
    }

    fn execute(&mut self, operations: &[(u32, Vec<Value>)]) -> Result<Value> {
        let Self { open: Some(open), execution: Some((workload, executor)) } = self else {
            return Err(invalid("no workload, or the engine is not open"));
        };
        let of_all = |outcome: Value| Ok(Value::Array(vec![outcome; operations.len()]));
        let mut batch = Vec::new();
        for (operation, arguments) in operations {
            let known = workload.operations.get(*operation as usize);
            let known = known.ok_or_else(|| invalid(format!("there is no operation {operation}")))?;
            match Values::parse(*operation, known, arguments) {
                Ok(values) => batch.push(values),
                Err(error) => return of_all(fault(FaultCode::InvalidRequest, false, &error.to_string())),
            }
        }
        let mut replies: Vec<Box<Reply>> = batch.iter().map(|_| Box::default()).collect();
        let mut verdicts = Vec::new();
        let done = if E::SCANS {
            executor.execute_batch::<_, true>(&mut open.handle, &batch, &mut replies, &mut verdicts)
        } else {
            executor.execute_batch::<_, false>(&mut open.handle, &batch, &mut replies, &mut verdicts)
        };
        if let Err(error) = done {
            let in_doubt = matches!(error, EngineError::InDoubt(_));
            return of_all(fault(FaultCode::ServerError, in_doubt, &error.to_string()));
        }
        let outcomes =
            batch.iter().zip(replies).zip(verdicts).map(|((values, reply), verdict)| match verdict {
                Verdict::Applied => {
                    let columns = &workload.operations[values.operation as usize].columns;
                    json!({ "kind": "applied", "rows": reply.to_json(columns) })
                }
                Verdict::Declined(reason) => json!({ "kind": "declined", "reason": reason }),
                Verdict::Refused(code, message) => fault(code, false, &message),
            });
        Ok(outcomes.collect())
    }
}

impl<E: Engine> Default for Control<E> {
    fn default() -> Self {
        Self::new()
    }
}

impl<E: Engine> Open<E> {
    fn load(&mut self, table: usize, rows: &[Vec<Value>]) -> Result<Value> {
        let table = table_at(&self.tables, table)?;
        let mut entries: Entries = Vec::new();
        for row in rows {
            let (mut key, mut value) = (Vec::new(), Vec::new());
            table.parse_row(row, &mut key, &mut value)?;
            entries.push((key, value));
        }
        let written = self.handle.write(|rows| {
            entries.iter().try_for_each(|(key, value)| rows.put(key, value))?;
            Ok(Finish::Commit(()))
        });
        written.map(|()| Value::Null)
    }

    fn scan(&mut self, table: usize, after: Option<&[Value]>, limit: usize) -> Result<Value> {
        let table = table_at(&self.tables, table)?;
        let (mut low, mut high) = (Vec::new(), Vec::new());
        table.begin_key(&mut high);
        table.fill_key(u8::MAX, &mut high);
        match after {
            // The least key above it.
            Some(key) => {
                table.parse_key(key, &mut low)?;
                low.push(0);
            }
            None => table.begin_key(&mut low),
        }
        let entries = entries(&mut self.handle, &low, &high, limit)?;
        entries
            .iter()
            .map(|(key, value)| table.row_json(key, value))
            .collect::<Result<_, _>>()
            .map(Value::Array)
    }

    fn read(&mut self, table: usize, keys: &[Vec<Value>]) -> Result<Value> {
        let table = table_at(&self.tables, table)?;
        let mut rows = Vec::new();
        for json in keys {
            let (mut key, mut row) = (Vec::new(), None);
            table.parse_key(json, &mut key)?;
            let read =
                self.handle.read(|view| view.get(&key, |value| row = Some(table.row_json(&key, value))));
            read?;
            rows.extend(row.transpose()?);
        }
        Ok(Value::Array(rows))
    }

    fn clear(&mut self, table: usize) -> Result<Value> {
        /// Keys removed in one transaction.
        const KEYS_MAX: usize = 10_000;
        let table = table_at(&self.tables, table)?;
        let (mut low, mut high) = (Vec::new(), Vec::new());
        table.begin_key(&mut low);
        table.begin_key(&mut high);
        table.fill_key(u8::MAX, &mut high);
        loop {
            let entries = entries(&mut self.handle, &low, &high, KEYS_MAX)?;
            let removed = self.handle.write(|rows| {
                entries.iter().try_for_each(|(key, _)| rows.delete(key))?;
                Ok(Finish::Commit(()))
            });
            removed?;
            if entries.len() < KEYS_MAX {
                return Ok(Value::Null);
            }
        }
    }
}

fn entries<H: Handle>(handle: &mut H, low: &[u8], high: &[u8], limit: usize) -> Result<Entries> {
    let mut entries = Entries::new();
    let range = Range { low, high, descending: false };
    let read = handle.read(|rows| {
        rows.scan(range, |key, value| {
            entries.push((key.to_vec(), value.to_vec()));
            entries.len() < limit
        })
    });
    read.map(|()| entries)
}

fn table_at(tables: &[Table], number: usize) -> Result<&Table> {
    tables.get(number).ok_or_else(|| invalid(format!("there is no table {number}")))
}

fn fault(code: FaultCode, in_doubt: bool, message: &str) -> Value {
    json!({ "kind": "fault", "code": code.name(), "inDoubt": in_doubt, "message": message })
}
