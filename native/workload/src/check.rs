//! Section 10, "checked at once": what every reply must satisfy. The twin of
//! `packages/workload/src/replay/reply-check.ts`, including the words of its mistakes.

use std::fmt::Write as _;
use std::sync::Arc;

use crate::content::{Pool, mix, scale};
use crate::kept::KeptFields;
use crate::keys::{describe, evaluated, seeded_row};
use crate::reply::{Reply, names_writer};
use crate::scan::scan_mistake;
use crate::seeding::{Purpose, seed_words};
use crate::values::Values;
use crate::workload::{Column, Generator, Returns, Source, Table, Type, Workload};

/// What all threads of a trial know about the replies to its operations.
pub struct Replies {
    workload: Arc<Workload>,
    tables: Vec<TableReplies>,
    pool: Option<Pool>,
    kept: KeptFields,
}

/// What is logged of a table's rows.
struct TableReplies {
    /// The columns that operations set, then those that they add to; without any, the first that names its writer.
    followed: Vec<usize>,
    /// Those of text and bytes.
    contents: Vec<usize>,
    /// The others that are not in the key.
    plain: Vec<usize>,
    /// By column, what its seeded values are drawn from.
    seeds: Vec<[u32; 2]>,
}

impl Replies {
    /// For the operations of a workload.
    #[must_use]
    pub fn new(workload: &Arc<Workload>) -> Self {
        let tables: Vec<_> = (0..)
            .zip(&workload.tables)
            .map(|(number, table)| TableReplies::new(workload.seed, number, table))
            .collect();
        let has_content = |table: usize| !tables[table].contents.is_empty();
        let reads_content = workload
            .operations
            .iter()
            .any(|each| each.weight > 0 && each.returns.table().is_some_and(has_content));
        let pool = reads_content.then(|| Pool::new(workload.seed));
        Self { workload: Arc::clone(workload), tables, pool, kept: KeptFields::new(workload) }
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
            Returns::Nothing | Returns::Fields { .. } | Returns::ChosenRows { .. } => None,
        })?;
        Some(format!("{}: {wrong}", operation.name))
    }

    /// Whether the replies of an operation are logged: fields, and rows of tables that are written to.
    pub(crate) fn follows(&self, operation: u32) -> bool {
        let returns = &self.workload.operations[operation as usize].returns;
        returns.table().is_none_or(|table| self.workload.tables[table].written)
    }

    /// The version of a row by the column whose turn it is.
    pub(crate) fn version(&self, table: usize, row: &[u64], reply: &Reply, turn: usize) -> u64 {
        let followed = &self.tables[table].followed;
        let Some(column) = turn.checked_rem(followed.len()).map(|turn| followed[turn]) else { return 0 };
        reply.version(self.workload.tables[table].columns[column].kind, row[column])
    }

    /// Of a row's texts and bytes the one whose turn it is is read.
    fn row_mistake(&self, number: usize, row: &[u64], reply: &Reply, turn: usize) -> Option<String> {
        let (table, replies) = (&self.workload.tables[number], &self.tables[number]);
        let seeded = seeded_row(table, row);
        let chosen = turn.checked_rem(replies.contents.len()).map(|turn| replies.contents[turn]);
        let (before, after) =
            replies.plain.split_at(replies.plain.partition_point(|place| Some(*place) < chosen));
        before.iter().chain(&chosen).chain(after).find_map(|place| {
            let column = &table.columns[*place];
            let wrong = self.cell_mistake((number, *place), (row[*place], seeded), reply)?;
            Some(format!("{}: {} {wrong}", describe(table, row), column.name))
        })
    }

    fn cell_mistake(
        &self,
        (table, place): (usize, usize),
        (word, seeded): (u64, Option<u64>),
        reply: &Reply,
    ) -> Option<String> {
        let column = &self.workload.tables[table].columns[place];
        malformed(column, word, reply).or_else(|| match seeded {
            Some(seed) if !column.set && !column.added => {
                let is_seeded = self.is_seeded((table, place), seed, word, reply);
                (!is_seeded).then(|| format!("is {}, and was never written", shown(column.kind, word, reply)))
            }
            _ => {
                let is_content = matches!(column.kind, Type::Text { .. } | Type::Bytes { .. });
                let is_whole = !is_content
                    || self.pool.as_ref().is_none_or(|pool| pool.is_whole(column.kind, reply.content(word)));
                (!is_whole).then(|| format!("is torn: {}", shown(column.kind, word, reply)))
            }
        })
    }

    /// The text or the bytes that a seeded cell has.
    #[doc(hidden)]
    #[must_use]
    pub fn seeded_content(&self, (table, place): (usize, usize), row: u64) -> Vec<u8> {
        let mut content = Vec::new();
        if let Some(pool) = &self.pool {
            let kind = self.workload.tables[table].columns[place].kind;
            let random = self.seeded_word((table, place), row);
            pool.write(kind, (seeded_origin(table, place), row as u32), random, &mut content);
        }
        content
    }

    fn seeded_word(&self, (table, place): (usize, usize), row: u64) -> u32 {
        let [first, second] = self.tables[table].seeds[place];
        mix(mix(row as u32 ^ first).wrapping_add(second))
    }

    /// Whether a value is the one that its seeded cell has.
    fn is_seeded(&self, (table, place): (usize, usize), row: u64, word: u64, reply: &Reply) -> bool {
        let Column { kind, seed, .. } = &self.workload.tables[table].columns[place];
        let random = self.seeded_word((table, place), row);
        match seed {
            Generator::Constant { value } => word == *value,
            Generator::Content => self.pool.as_ref().is_none_or(|pool| {
                let origin = (seeded_origin(table, place), row as u32);
                pool.is_written(*kind, origin, random, reply.content(word))
            }),
            Generator::Uniform { over, .. } => {
                let value = over.min.wrapping_add(scale(random, over.count as usize) as i64);
                word == if *kind == Type::Bool { u64::from(value != 0) } else { value as u64 }
            }
            _ => word == 0,
        }
    }
}

/// The origin of a column's seeded contents.
const fn seeded_origin(table: usize, place: usize) -> u32 {
    1 << 31 | (table as u32) << 8 | place as u32
}

impl TableReplies {
    fn new(seed: u64, number: u32, table: &Table) -> Self {
        let places = |is: fn(&Column) -> bool| {
            let columns = table.columns.iter().enumerate();
            columns.filter(move |(_, column)| is(column)).map(|(place, _)| place)
        };
        let columns = 0..table.columns.len() as u32;
        let mut followed: Vec<_> = places(|column| column.set).chain(places(|column| column.added)).collect();
        if followed.is_empty() {
            followed.extend(places(|column| names_writer(column.kind)).next());
        }
        Self {
            followed,
            contents: places(|column| matches!(column.kind, Type::Text { .. } | Type::Bytes { .. }))
                .collect(),
            plain: places(|column| !matches!(column.kind, Type::Text { .. } | Type::Bytes { .. }))
                .filter(|place| *place >= table.key_columns)
                .collect(),
            seeds: columns.map(|column| seed_words(seed, 0, Purpose::SeededColumn(number, column))).collect(),
        }
    }
}

/// Of which of the three classes its row is, a scan's first one: the last class is dropped first.
pub(crate) fn class_of(returns: &Returns, values: &Values) -> usize {
    let first = match returns {
        Returns::Row { keys, .. } => keys,
        Returns::Scan { from, .. } => from,
        Returns::Nothing | Returns::Fields { .. } | Returns::ChosenRows { .. } => return 0,
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
    if let (Some(by), [key], 0 | 1) = (by, keys, rows.len()) {
        let row = rows.next().filter(|row| row[by] as i64 != key.of(values))?;
        let (name, value) = (&table.columns[by].name, key.of(values));
        let got = describe(table, row);
        return Some(format!("requested {} with the {name} {value}, got {got}", table.name));
    }
    let is_requested = |row: &[u64]| keys.iter().zip(row).all(|(key, word)| key.of(values) == *word as i64);
    match (rows.len(), rows.next()) {
        (2.., _) => Some(format!("{} rows for one key", reply.rows().len())),
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

/// What is no value of its column's type. What is set has the length of its column: a shorter value that names its writer
/// all the same is not what was sent.
fn malformed(column: &Column, word: u64, reply: &Reply) -> Option<String> {
    let shown = || shown(column.kind, word, reply);
    match column.kind {
        Type::Key if word >> 32 != 0 => Some(format!("is no key: {}", shown())),
        Type::Text { length } | Type::Bytes { length } if column.set => {
            let got = reply.content(word).len();
            (got != length as usize).then(|| format!("has a length of {got}, not {length}: {}", shown()))
        }
        _ => None,
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
