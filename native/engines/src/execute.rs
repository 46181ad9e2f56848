//! Carries operations out over an engine: the model of `packages/workload/src/model.ts` in its transactions.

use std::sync::Arc;

use fair_bench_load_client::outcome::FaultCode;
use fair_bench_workload::{Reply, Returns, Type, Values};

use crate::engine::{EngineError, Finish, Handle, Range, Read, Result, Write, failed};
use crate::plan::Plan;
use crate::program::{Change, Chosen, Condition, Effect, Operand, OperationSteps, Place, Row, Source};
use crate::rows::{Table, push_content, push_word};

/// What became of an operation whose transaction was carried out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Its effects are there, and its reply, if it has one.
    Applied,
    /// By the reason of this number.
    Declined(u16),
    /// It cannot be carried out, and had no effect.
    Refused(FaultCode, String),
}

/// Carries out one operation after the other, with buffers that it keeps.
pub struct Executor {
    plan: Arc<Plan>,
    buffers: Buffers,
}

#[derive(Default)]
struct Buffers {
    key: Vec<u8>,
    low: Vec<u8>,
    high: Vec<u8>,
    /// Rows that the operation changes; the first `changed` are in use.
    rows: Vec<Changed>,
    changed: usize,
}

#[derive(Default)]
struct Changed {
    key: Vec<u8>,
    value: Vec<u8>,
}

impl Executor {
    /// For the operations of a plan.
    #[must_use]
    pub fn new(plan: &Arc<Plan>) -> Self {
        Self { plan: Arc::clone(plan), buffers: Buffers::default() }
    }

    /// Carries out one operation as one transaction, and fills its reply. `SCANS` as the engine's.
    ///
    /// # Errors
    /// When the engine fails, or answers with what was not stored.
    #[inline]
    pub fn execute<H: Handle, const SCANS: bool>(
        &mut self,
        handle: &mut H,
        values: &Values,
        reply: &mut Reply,
    ) -> Result<Verdict> {
        let Self { plan, buffers } = self;
        if plan.only_reads(values.operation, SCANS) {
            return handle.read(|rows| Work { plan, values, rows }.run(buffers, reply));
        }
        handle.write(|rows| {
            let verdict = Work { plan, values, rows: &*rows }.run(buffers, reply)?;
            if verdict != Verdict::Applied || buffers.changed == 0 {
                return Ok(Finish::Abort(verdict));
            }
            buffers.write(rows)?;
            Ok(Finish::Commit(verdict))
        })
    }

    /// Carries operations out one after the other as one transaction, which is committed once: a verdict and a reply for
    /// each, in their order. Where one cannot be carried out, all are refused, and none is applied.
    ///
    /// # Errors
    /// When the engine fails, or answers with what was not stored: of all.
    pub fn execute_batch<H: Handle, const SCANS: bool>(
        &mut self,
        handle: &mut H,
        batch: &[Values],
        replies: &mut [Box<Reply>],
        verdicts: &mut Vec<Verdict>,
    ) -> Result<()> {
        let Self { plan, buffers } = self;
        if batch.iter().all(|values| plan.only_reads(values.operation, SCANS)) {
            return handle.read(|rows| {
                verdicts.clear();
                for (values, reply) in batch.iter().zip(replies) {
                    verdicts.push(Work { plan, values, rows }.run(buffers, reply)?);
                }
                Ok(())
            });
        }
        handle.write(|rows| {
            verdicts.clear();
            let mut writes = false;
            for (values, reply) in batch.iter().zip(replies.iter_mut()) {
                let verdict = Work { plan, values, rows: &*rows }.run(buffers, reply)?;
                if matches!(verdict, Verdict::Refused(..)) {
                    verdicts.clear();
                    verdicts.resize(batch.len(), verdict);
                    return Ok(Finish::Abort(()));
                }
                if verdict == Verdict::Applied && buffers.changed > 0 {
                    buffers.write(rows)?;
                    writes = true;
                }
                verdicts.push(verdict);
            }
            Ok(if writes { Finish::Commit(()) } else { Finish::Abort(()) })
        })
    }
}

/// One operation in a transaction.
struct Work<'a, R> {
    plan: &'a Plan,
    values: &'a Values,
    rows: &'a R,
}

/// Why an operation is not carried out.
type Refusal = (FaultCode, String);

impl<R: Read> Work<'_, R> {
    #[inline]
    fn run(&self, buffers: &mut Buffers, reply: &mut Reply) -> Result<Verdict> {
        buffers.changed = 0;
        if let Some(columns) = self.plan.reply_columns(self.values.operation) {
            reply.clear(columns);
        }
        let OperationSteps { rules, effects, found } = &self.plan.steps[self.values.operation as usize];
        for rule in rules {
            for record in 0..self.records(rule.list) {
                if self.holds(&rule.holds, record, buffers)? {
                    return Ok(Verdict::Declined(rule.reason));
                }
            }
        }
        self.reply(found, buffers, reply)?;
        for Effect { list, change } in effects {
            for record in 0..self.records(*list) {
                if let Some((code, message)) = self.change(change, record, buffers)? {
                    return Ok(Verdict::Refused(code, message));
                }
            }
        }
        Ok(Verdict::Applied)
    }

    fn records(&self, list: Option<usize>) -> usize {
        list.map_or(1, |list| self.values.list(list).len())
    }

    #[inline]
    fn word(&self, source: &Source, record: usize) -> u64 {
        match *source {
            Source::Constant { value } => value,
            Source::Argument { argument } => self.values.word(argument),
            Source::Field { argument, field } => {
                let list = self.values.list(argument);
                if record < list.len() { list.word(field, record) } else { 0 }
            }
        }
    }

    #[inline]
    fn key(&self, Row { table, keys }: &Row, record: usize, key: &mut Vec<u8>) -> &Table {
        let table = &self.plan.tables[*table];
        table.begin_key(key);
        for (place, source) in keys.iter().enumerate() {
            table.push_key(place, self.word(source, record), key);
        }
        table
    }

    /// A row as this operation left it.
    fn look(&self, buffers: &Buffers, found: impl FnOnce(&[u8])) -> Result<bool> {
        let changed = buffers.rows[..buffers.changed].iter().find(|row| row.key == buffers.key);
        match changed {
            Some(row) => {
                found(&row.value);
                Ok(true)
            }
            None => self.rows.get(&buffers.key, found),
        }
    }

    fn holds(&self, condition: &Condition, record: usize, buffers: &mut Buffers) -> Result<bool> {
        match condition {
            Condition::Missing { row } => Ok(!self.is_there(row, record, buffers)?),
            Condition::Exists { row } => self.is_there(row, record, buffers),
            Condition::Less { left, right } => {
                let pair = (self.operand(left, record, buffers)?, self.operand(right, record, buffers)?);
                Ok(matches!(pair, (Some(left), Some(right)) if left < right))
            }
            Condition::Equal { left, right } => {
                let pair = (self.operand(left, record, buffers)?, self.operand(right, record, buffers)?);
                Ok(matches!(pair, (Some(left), Some(right)) if left == right))
            }
        }
    }

    fn is_there(&self, row: &Row, record: usize, buffers: &mut Buffers) -> Result<bool> {
        self.key(row, record, &mut buffers.key);
        self.look(buffers, |_| ())
    }

    /// `None` where its row is missing.
    fn operand(&self, operand: &Operand, record: usize, buffers: &mut Buffers) -> Result<Option<i64>> {
        match operand {
            Operand::Value { value } => Ok(Some(self.word(value, record) as i64)),
            Operand::Column(place) => self.column(place, record, buffers),
        }
    }

    fn column(
        &self,
        Place { row, column }: &Place,
        record: usize,
        buffers: &mut Buffers,
    ) -> Result<Option<i64>> {
        let table = self.key(row, record, &mut buffers.key);
        let mut word = Some(0);
        let is_there = if table.value_column(*column).is_some() {
            self.look(buffers, |value| word = table.word(value, *column))?
        } else {
            word = Some(self.word(&row.keys[*column], record));
            self.look(buffers, |_| ())?
        };
        let word = word.ok_or_else(no_row)?;
        Ok(is_there.then_some(word as i64))
    }

    #[inline]
    fn reply(&self, found: &[Place], buffers: &mut Buffers, reply: &mut Reply) -> Result<()> {
        let operation = &self.plan.workload.operations[self.values.operation as usize];
        match &operation.returns {
            Returns::Row { table, keys, .. } => {
                let table = &self.plan.tables[*table];
                table.begin_key(&mut buffers.key);
                for (place, source) in keys.iter().enumerate() {
                    table.push_key(place, source.of(self.values) as u64, &mut buffers.key);
                }
                let mut is_row = true;
                self.rows.get(&buffers.key, |value| {
                    is_row = table.push_row(&buffers.key, value, reply);
                })?;
                if is_row { Ok(()) } else { Err(no_row()) }
            }
            scan @ Returns::Scan { .. } => self.scan(scan, buffers, reply),
            Returns::Fields { .. } => {
                for place in found {
                    let word = self.column(place, 0, buffers)?;
                    reply.push(word.unwrap_or_default() as u64);
                }
                Ok(())
            }
            Returns::Nothing | Returns::Records { .. } | Returns::ChosenRows { .. } => Ok(()),
        }
    }

    fn scan(
        &self,
        returns: &Returns,
        Buffers { low, high, .. }: &mut Buffers,
        reply: &mut Reply,
    ) -> Result<()> {
        let Returns::Scan { table, from, prefix, descending, limit, .. } = returns else { return Ok(()) };
        let table = &self.plan.tables[*table];
        let bound = |sources: &[fair_bench_workload::Source], filler, key: &mut Vec<u8>| {
            table.begin_key(key);
            for (place, source) in sources.iter().enumerate() {
                table.push_key(place, source.of(self.values) as u64, key);
            }
            table.fill_key(filler, key);
        };
        bound(prefix, 0, low);
        bound(prefix, u8::MAX, high);
        // The range begins at `from`, if that is within the prefix or before the range is empty.
        let mut begin = Vec::new();
        bound(from, if *descending { u8::MAX } else { 0 }, &mut begin);
        match descending {
            true if begin < *high => *high = begin,
            false if begin > *low => *low = begin,
            _ => {}
        }
        let mut left = limit.of(self.values);
        if left <= 0 || low > high {
            return Ok(());
        }
        let mut are_rows = true;
        self.rows.scan(Range { low, high, descending: *descending }, |key, value| {
            are_rows = table.push_row(key, value, reply);
            left -= 1;
            left > 0 && are_rows
        })?;
        if are_rows { Ok(()) } else { Err(no_row()) }
    }

    fn change(&self, change: &Change, record: usize, buffers: &mut Buffers) -> Result<Option<Refusal>> {
        match change {
            Change::Add { row, column, amount, negative } => {
                let table = self.key(row, record, &mut buffers.key);
                let Some(value) = self.changing(buffers)? else { return Ok(None) };
                let amount = i128::from(self.word(amount, record) as i64);
                let before = i128::from(table.word(value, *column).ok_or_else(no_row)? as i64);
                let Ok(sum) = i64::try_from(if *negative { before - amount } else { before + amount }) else {
                    return Ok(Some((FaultCode::InvalidRequest, "the sum is beyond 64 bits".to_owned())));
                };
                if table.set_word(value, *column, sum as u64) { Ok(None) } else { Err(no_row()) }
            }
            Change::Set { row, column, to } => {
                let table = self.key(row, record, &mut buffers.key);
                let column = match column {
                    Chosen::One(column) => *column,
                    Chosen::By { argument, columns } => {
                        let chosen = self.values.word(*argument) as usize;
                        columns.get(chosen).copied().unwrap_or_default()
                    }
                };
                let Some(value) = self.changing(buffers)? else { return Ok(None) };
                let word = self.word(to, record);
                let is_row = match table.value_column(column) {
                    Some(Type::Text { length } | Type::Bytes { length }) => {
                        table.set_content(value, column, self.values.content(word, length))
                    }
                    _ => table.set_word(value, column, word),
                };
                if is_row { Ok(None) } else { Err(no_row()) }
            }
            Change::Insert { table, columns, if_missing } => {
                let is_there = self.insert(&self.plan.tables[*table], columns, record, buffers)?;
                Ok((is_there && !if_missing).then(|| {
                    (FaultCode::ServerError, "a row that is to be inserted exists already".to_owned())
                }))
            }
        }
    }

    /// Whether there is a row already, which is kept.
    fn insert(
        &self,
        table: &Table,
        columns: &[Option<Source>],
        record: usize,
        buffers: &mut Buffers,
    ) -> Result<bool> {
        table.begin_key(&mut buffers.key);
        let word = |source: &Option<Source>| source.as_ref().map_or(0, |source| self.word(source, record));
        for (place, source) in columns.iter().take(table.key_columns()).enumerate() {
            table.push_key(place, word(source), &mut buffers.key);
        }
        if self.look(buffers, |_| ())? {
            return Ok(true);
        }
        let value = buffers.add();
        value.clear();
        for (kind, source) in table.columns().iter().zip(columns).skip(table.key_columns()) {
            match (*kind, source) {
                // What the server decides is nothing here.
                (Type::Text { .. } | Type::Bytes { .. }, None) => push_content(&[], value),
                (Type::Text { length } | Type::Bytes { length }, Some(source)) => {
                    push_content(self.values.content(self.word(source, record), length), value);
                }
                (kind, source) => push_word(kind, word(source), value),
            }
        }
        Ok(false)
    }

    /// The row of the buffered key, to be changed; `None` where it is missing.
    fn changing<'b>(&self, buffers: &'b mut Buffers) -> Result<Option<&'b mut Vec<u8>>> {
        let changed = buffers.rows[..buffers.changed].iter().position(|row| row.key == buffers.key);
        if let Some(place) = changed {
            return Ok(Some(&mut buffers.rows[place].value));
        }
        let key = std::mem::take(&mut buffers.key);
        let value = buffers.add();
        let found = self.rows.get(&key, |stored| {
            value.clear();
            value.extend_from_slice(stored);
        });
        buffers.key = key;
        if !found? {
            buffers.changed -= 1;
            return Ok(None);
        }
        let place = buffers.changed - 1;
        let Buffers { key, rows, .. } = buffers;
        rows[place].key.clone_from(key);
        Ok(Some(&mut rows[place].value))
    }
}

fn no_row() -> EngineError {
    failed("the engine returned what is no row")
}

impl Buffers {
    /// What the operation changed, into its transaction.
    #[inline]
    fn write(&self, rows: &mut impl Write) -> Result<()> {
        self.rows[..self.changed].iter().try_for_each(|Changed { key, value }| rows.put(key, value))
    }

    /// One more row under the buffered key; its value is written over.
    fn add(&mut self) -> &mut Vec<u8> {
        if self.changed == self.rows.len() {
            self.rows.push(Changed::default());
        }
        let row = &mut self.rows[self.changed];
        self.changed += 1;
        row.key.clone_from(&self.key);
        &mut row.value
    }
}
