//! Section 10, "checked at once": what every reply must satisfy. The twin of
//! `packages/workload/src/replay/reply-check.ts`, including the words of its mistakes.

use std::fmt::Write as _;
use std::sync::Arc;

use crate::changed::ChangedRows;
use crate::content::{Pool, mix, scale};
use crate::expected::{Expected, Seed, is_content};
use crate::kept::KeptFields;
use crate::keys::{describe, evaluated, seeded_row};
use crate::reply::{Reply, names_writer};
use crate::scan::scan_mistake;
use crate::values::Values;
use crate::workload::{Column, Operation, Returns, Source, Table, Timed, Type, Workload};

/// What all threads of a trial know about the replies to its operations.
pub struct Replies {
    workload: Arc<Workload>,
    tables: Vec<TableReplies>,
    pool: Option<Pool>,
    kept: KeptFields,
    operations: Vec<Handling>,
    changed: Option<ChangedRows>,
}

/// What becomes of an operation's replies beyond their check.
#[derive(Clone, Copy)]
pub(crate) struct Handling {
    /// Whether the operation takes arguments from earlier replies, which are logged.
    pub(crate) takes: bool,
    /// Whether they are logged: fields, and rows of tables that operations may change.
    pub(crate) follows: bool,
    /// When its times are logged: of one that only reads they matter for rows that are changed beside it.
    pub(crate) timed: Timed,
}

/// What is logged of a table's rows.
struct TableReplies {
    /// Whether an operation that is drawn may change its rows; otherwise all stay as they were seeded.
    may_change: bool,
    /// The columns that operations set, then those that they add to; without any, the first that names its writer.
    followed: Vec<usize>,
    /// Those of text and bytes.
    contents: Vec<usize>,
    /// The others that are not in the key.
    plain: Vec<usize>,
    columns: Vec<Expected>,
}

impl Replies {
    /// For the operations of a workload.
    #[must_use]
    pub fn new(workload: &Arc<Workload>) -> Self {
        let writes = workload.operations.iter().any(|operation| operation.weight > 0 && operation.writes);
        let tables: Vec<_> = (0..)
            .zip(&workload.tables)
            .map(|(number, table)| TableReplies::new(workload.seed, (number, writes), table))
            .collect();
        let has_content = |table: usize| !tables[table].contents.is_empty();
        let reads_content = workload
            .operations
            .iter()
            .any(|each| each.weight > 0 && each.returns.table().is_some_and(has_content));
        let pool = reads_content.then(|| Pool::new(workload.seed));
        let kept = KeptFields::new(workload);
        let handling = |(operation, number): (&Operation, u32)| Handling {
            takes: kept.takes(number),
            timed: if writes { operation.timed } else { Timed::Never },
            follows: operation.returns.table().is_none_or(|table| tables[table].may_change),
        };
        let operations = workload.operations.iter().zip(0..).map(handling).collect();
        Self { workload: Arc::clone(workload), tables, pool, kept, operations, changed: None }
    }

    /// Another connection changes these rows meanwhile: each may have either value.
    #[must_use]
    pub fn with_changed(mut self, changed: Option<ChangedRows>) -> Self {
        for (operation, handling) in self.workload.operations.iter().zip(&mut self.operations) {
            let reads = matches!(operation.returns, Returns::Row { .. })
                && operation.returns.table() == changed.as_ref().map(|changed| changed.table);
            if reads && matches!(handling.timed, Timed::Never) {
                handling.timed = Timed::WhileRoom;
            }
        }
        self.changed = changed;
        self
    }

    pub(crate) const fn kept(&self) -> &KeptFields {
        &self.kept
    }

    pub(crate) fn workload(&self) -> &Workload {
        &self.workload
    }

    /// What is wrong with the reply of an applied operation, if anything is.
    pub(crate) fn mistake(&self, values: &Values, reply: &Reply) -> Option<String> {
        let operation = &self.workload.operations[values.operation as usize];
        let number = operation.returns.table()?;
        let table = &self.workload.tables[number];
        let turns = values.sequence as usize..;
        let wrong =
            turns.zip(reply.rows()).find_map(|(turn, row)| self.row_mistake(number, row, reply, turn));
        let wrong = wrong.or_else(|| match &operation.returns {
            Returns::Row { keys, by, .. } => single_mistake(table, (keys, *by), values, reply),
            scan @ Returns::Scan { .. } => scan_mistake(table, scan, values, reply),
            Returns::Nothing
            | Returns::Fields { .. }
            | Returns::Records { .. }
            | Returns::ChosenRows { .. } => None,
        })?;
        Some(format!("{}: {wrong}", operation.name))
    }

    /// Whether an operation returned a row as another connection had changed it, in a column that was checked.
    #[inline]
    pub(crate) fn returns_change(&self, values: &Values, reply: &Reply) -> bool {
        let Some(ChangedRows { table, .. }) = &self.changed else { return false };
        let operation = &self.workload.operations[values.operation as usize];
        matches!(operation.returns, Returns::Row { .. })
            && operation.returns.table() == Some(*table)
            && reply.rows().next().is_some_and(|row| {
                let seeded = seeded_row(&self.workload.tables[*table], row);
                let chosen = self.tables[*table].content_in_turn(values.sequence as usize);
                self.changed_place(*table, (seeded, row), chosen, reply).is_some()
            })
    }

    /// The column in which a row has the value of its change, if it is one that is checked.
    #[inline]
    fn changed_place(
        &self,
        table: usize,
        (seeded, row): (Option<u64>, &[u64]),
        chosen: Option<usize>,
        reply: &Reply,
    ) -> Option<usize> {
        let changed = self.changed.as_ref().filter(|changed| changed.table == table)?;
        let like = changed.like(seeded?)?;
        let column = &self.tables[table].columns[changed.column];
        let is_read = !is_content(column.kind) || chosen == Some(changed.column);
        (is_read
            && column.is_fixed
            && column.has_form(row[changed.column], reply)
            && self.is_seeded(column, like, row[changed.column], reply))
        .then_some(changed.column)
    }

    #[inline]
    pub(crate) fn handling(&self, operation: u32) -> Handling {
        self.operations[operation as usize]
    }

    /// The version of a row by the column whose turn it is.
    pub(crate) fn version(&self, table: usize, row: &[u64], reply: &Reply, turn: usize) -> u64 {
        let followed = &self.tables[table].followed;
        let Some(column) = turn.checked_rem(followed.len()).map(|turn| followed[turn]) else { return 0 };
        reply.version(self.workload.tables[table].columns[column].kind, row[column])
    }

    /// Of a row's texts and bytes the one whose turn it is is read.
    #[inline]
    fn row_mistake(&self, number: usize, row: &[u64], reply: &Reply, turn: usize) -> Option<String> {
        let (table, replies) = (&self.workload.tables[number], &self.tables[number]);
        let seeded = seeded_row(table, row);
        let chosen = replies.content_in_turn(turn);
        let mut read = replies.plain.iter().copied().chain(chosen);
        let is_known = replies.may_change || seeded.is_some();
        let is_right = |place: usize| self.is_right(&replies.columns[place], row[place], seeded, reply);
        if is_known && read.all(is_right) {
            return None;
        }
        let changed = self.changed_place(number, (seeded, row), chosen, reply);
        let mut others = replies.plain.iter().copied().chain(chosen).filter(|place| Some(*place) != changed);
        if changed.is_some() && others.all(is_right) {
            return None;
        }
        Some(format!("{}{}", describe(table, row), self.described((number, chosen), row, seeded, reply)))
    }

    /// Whether a value is what its column may have, in a seeded row of a number or in another.
    #[inline]
    fn is_right(&self, column: &Expected, word: u64, seeded: Option<u64>, reply: &Reply) -> bool {
        column.has_form(word, reply)
            && match seeded {
                Some(row) if column.is_fixed => self.is_seeded(column, row, word, reply),
                _ => {
                    let pool = self.pool.as_ref().filter(|_| is_content(column.kind));
                    pool.is_none_or(|pool| pool.is_whole(column.kind, reply.content(word)))
                }
            }
    }

    /// Whether a value is the one that its seeded cell has.
    #[inline]
    fn is_seeded(&self, column: &Expected, row: u64, word: u64, reply: &Reply) -> bool {
        match column.seed {
            Seed::Constant(value) => word == value,
            Seed::Content(origin) => self.pool.as_ref().is_none_or(|pool| {
                let random = column.seeded_word(row);
                pool.is_written(column.kind, (origin, row as u32), random, reply.content(word))
            }),
            Seed::Uniform { min, count } => {
                let value = min.wrapping_add(scale(column.seeded_word(row), count) as i64);
                word == if column.kind == Type::Bool { u64::from(value != 0) } else { value as u64 }
            }
        }
    }

    /// What is wrong with a row, by the first column that is.
    #[cold]
    fn described(
        &self,
        (number, chosen): (usize, Option<usize>),
        row: &[u64],
        seeded: Option<u64>,
        reply: &Reply,
    ) -> String {
        let (table, replies) = (&self.workload.tables[number], &self.tables[number]);
        if seeded.is_none() && !replies.may_change {
            return " was never inserted".to_owned();
        }
        let mut places: Vec<_> = replies.plain.iter().copied().chain(chosen).collect();
        places.sort_unstable();
        let is_wrong = |place: &usize| !self.is_right(&replies.columns[*place], row[*place], seeded, reply);
        let Some(place) = places.into_iter().find(is_wrong) else { return String::new() };
        let (column, word) = (&replies.columns[place], row[place]);
        let (name, shown) = (&table.columns[place].name, shown(column.kind, word, reply));
        if !column.has_form(word, reply) {
            return format!(": {name} {}", malformed(column.kind, word, reply));
        }
        if seeded.is_some() && column.is_fixed {
            return format!(": {name} is {shown}, and was never written");
        }
        format!(": {name} is torn: {shown}")
    }

    /// The text or the bytes that a seeded cell has.
    #[doc(hidden)]
    #[must_use]
    pub fn seeded_content(&self, (table, place): (usize, usize), row: u64) -> Vec<u8> {
        let mut content = Vec::new();
        let column = &self.tables[table].columns[place];
        if let (Some(pool), Seed::Content(origin)) = (&self.pool, &column.seed) {
            pool.write(column.kind, (*origin, row as u32), column.seeded_word(row), &mut content);
        }
        content
    }
}

impl TableReplies {
    /// The column of text or bytes that is read of a row in this turn.
    #[inline]
    fn content_in_turn(&self, turn: usize) -> Option<usize> {
        turn.checked_rem(self.contents.len()).map(|turn| self.contents[turn])
    }

    fn new(seed: u64, (number, writes): (u32, bool), table: &Table) -> Self {
        let places = |is: fn(&Column) -> bool| {
            let columns = table.columns.iter().enumerate();
            columns.filter(move |(_, column)| is(column)).map(|(place, _)| place)
        };
        let may_change = writes && table.written;
        let expected = |(place, column)| Expected::new(seed, (number, place), may_change, column);
        let mut followed: Vec<_> = places(|column| column.set).chain(places(|column| column.added)).collect();
        if followed.is_empty() {
            followed.extend(places(|column| names_writer(column.kind)).next());
        }
        Self {
            may_change,
            followed,
            contents: places(|column| is_content(column.kind)).collect(),
            plain: places(|column| !is_content(column.kind))
                .filter(|place| *place >= table.key_columns)
                .collect(),
            columns: (0..).zip(&table.columns).map(expected).collect(),
        }
    }
}

/// Of which of the three classes its row is, a scan's first one: the last class is dropped first.
pub(crate) fn class_of(returns: &Returns, values: &Values) -> usize {
    let first = match returns {
        Returns::Row { keys, .. } => keys,
        Returns::Scan { from, .. } => from,
        Returns::Nothing | Returns::Fields { .. } | Returns::Records { .. } | Returns::ChosenRows { .. } => {
            return 0;
        }
    };
    // Like the twin, which stores numbers as doubles.
    let mixed = first.iter().fold(0, |mixed, source| mix(mixed ^ (source.of(values) as f64) as i64 as u32));
    match mixed & 3 {
        1 | 3 => 2,
        2 => 1,
        _ => 0,
    }
}

fn single_mistake(
    table: &Table,
    (keys, by): (&[Source], Option<usize>),
    values: &Values,
    reply: &Reply,
) -> Option<String> {
    let mut rows = reply.rows();
    if let (Some(by), [key], 0 | 1) = (by, keys, reply.count()) {
        let row = rows.next().filter(|row| row[by] as i64 != key.of(values))?;
        let (name, value) = (&table.columns[by].name, key.of(values));
        let got = describe(table, row);
        return Some(format!("requested {} with the {name} {value}, got {got}", table.name));
    }
    let is_requested = |row: &[u64]| keys.iter().zip(row).all(|(key, word)| key.of(values) == *word as i64);
    match (reply.count(), rows.next()) {
        (count @ 2.., _) => Some(format!("{count} rows for one key")),
        (_, Some(row)) if is_requested(row) => None,
        (_, Some(row)) => {
            let keys = evaluated(keys, values);
            Some(format!("requested {}, got {}", describe(table, &keys), describe(table, row)))
        }
        (_, None) => {
            let keys = evaluated(keys, values);
            seeded_row(table, &keys).map(|_| format!("{} is missing", describe(table, &keys)))
        }
    }
}

/// What is no value of its column's type, in words.
fn malformed(kind: Type, word: u64, reply: &Reply) -> String {
    let shown = shown(kind, word, reply);
    match kind {
        Type::Text { length } | Type::Bytes { length } => {
            format!("has a length of {}, not {length}: {shown}", reply.content(word).len())
        }
        _ => format!("is no key: {shown}"),
    }
}

fn shown(kind: Type, word: u64, reply: &Reply) -> String {
    let text = match kind {
        Type::Key | Type::Int64 => (word as i64).to_string(),
        Type::Bool => (word != 0).to_string(),
        Type::Text { .. } => String::from_utf8_lossy(reply.content(word)).into_owned(),
        Type::Bytes { .. } => reply.content(word).iter().fold(String::new(), |mut text, byte| {
            // Writing to a string cannot fail.
            let _ = write!(text, "{byte:02x}");
            text
        }),
    };
    if text.chars().count() > 40 { text.chars().take(40).chain(['…']).collect() } else { text }
}
