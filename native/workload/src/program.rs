//! A workload compiled once into the work of its streams: one enum per argument, and no names.

use crate::content::Pool;
use crate::permutation::Permutation;
use crate::ranks::RankSampler;
use crate::workload::{self, Argument, Field, Generator, Over, Type, Workload};
use crate::xoshiro::Xoshiro128;

const YCSB_ITEMS: u64 = 10_000_000_000;

/// What all sessions of a trial have in common, computed once.
pub struct Program {
    pub(crate) seed: u64,
    pub(crate) sessions: u64,
    pub(crate) mix: Mix,
    pub(crate) operations: Box<[Operation]>,
    pub(crate) tables: usize,
    /// Exponent and seeded rows of each `latest`, which each session samples on its own.
    pub(crate) latest: Vec<(f64, u64)>,
    pub(crate) pool: Option<Pool>,
}

/// Which operation is next.
pub(crate) enum Mix {
    /// The only one with a weight; nothing is drawn.
    One(u32),
    /// The sums of the weights up to and with each operation.
    Weighted(Box<[u64]>),
}

/// All draws come first, in declared order; their values are computed afterwards, which the processor overlaps well.
pub(crate) struct Operation {
    pub(crate) steps: Box<[Step]>,
    /// By the arguments' places; those whose draw is their value have none.
    pub(crate) meanings: Box<[(usize, Meaning)]>,
}

/// How the index of an argument's value is drawn: which of its domain's values.
pub(crate) enum Step {
    Constant(u64),
    /// Uniform; one word of the generator.
    Below(u64),
    /// Uniform without the index of the argument at that place.
    BelowNot(u64, usize),
    Rank(RankSampler),
    /// A rank that is not the one of the argument at that place.
    RankNot(Box<RankNot>),
    /// YCSB's items, folded onto so many values.
    Folded(RankSampler, u64),
    Latest {
        number: usize,
        table: usize,
    },
    Fresh {
        table: usize,
        rows: u64,
    },
    Operation,
    /// 1 where one of a hundred is below.
    Chance(u64),
    /// The session's number modulo the count.
    Session(u64),
    Nurand {
        a: u64,
        min: u64,
        count: u64,
        c: u64,
    },
    /// The index of the argument `same` where the flag is 1: an argument's or, in a list, that of a field of the record.
    Either {
        count: u64,
        flag: usize,
        is_field: bool,
        same: usize,
        differs: bool,
    },
    /// A word that decides a slice of the pool.
    Content,
    List(Box<List>),
}

pub(crate) struct RankNot {
    pub(crate) ranks: RankSampler,
    pub(crate) from_second: RankSampler,
    pub(crate) not: usize,
}

pub(crate) struct List {
    pub(crate) min: u64,
    /// How many lengths there are; of one nothing is drawn.
    pub(crate) lengths: u64,
    pub(crate) fields: Box<[ListField]>,
}

pub(crate) struct ListField {
    pub(crate) step: Step,
    pub(crate) meaning: Option<Meaning>,
    pub(crate) distinct: bool,
}

/// What an index means.
#[derive(Clone)]
pub(crate) enum Meaning {
    /// The value that many above the least.
    Offset(u64),
    /// A bool: whether the value is not 0.
    Flag(u64),
    /// Of a table's permuted keys.
    Permuted(Permutation),
    /// The text of that number.
    Named(Box<[String]>),
    /// Text or bytes; `place` numbers those of an operation, `stride` those of a list's record.
    Content { kind: Type, place: u32, stride: u32 },
}

impl Program {
    /// For a trial of so many sessions.
    #[must_use]
    pub fn new(workload: &Workload, sessions: u32) -> Self {
        let mut compiler = Compiler { workload, latest: Vec::new(), has_content: false };
        let operations = workload.operations.iter().map(|operation| compiler.operation(operation)).collect();
        let Compiler { latest, has_content, .. } = compiler;
        Self {
            seed: workload.seed,
            sessions: u64::from(sessions),
            mix: Mix::of(workload),
            operations,
            tables: workload.tables.len(),
            latest,
            pool: has_content.then(|| Pool::new(workload.seed)),
        }
    }
}

impl Mix {
    fn of(workload: &Workload) -> Self {
        let weighted = || workload.operations.iter().zip(0..).filter(|(operation, _)| operation.weight > 0);
        if let (1, Some((_, number))) = (weighted().count(), weighted().next()) {
            return Self::One(number);
        }
        let mut sum = 0;
        let sums = workload.operations.iter().map(|operation| {
            sum += u64::from(operation.weight);
            sum
        });
        Self::Weighted(sums.collect())
    }

    #[inline]
    pub(crate) fn draw(&self, random: &mut Xoshiro128) -> u32 {
        match self {
            Self::One(number) => *number,
            Self::Weighted(sums) => {
                let drawn = below(random, sums.last().copied().unwrap_or(1));
                sums.iter().take_while(|sum| **sum <= drawn).count() as u32
            }
        }
    }
}

struct Compiler<'a> {
    workload: &'a Workload,
    latest: Vec<(f64, u64)>,
    has_content: bool,
}

impl Compiler<'_> {
    fn operation(&mut self, operation: &workload::Operation) -> Operation {
        let mut steps = Vec::new();
        let mut meanings = Vec::new();
        // Of text and bytes.
        let mut places = 0;
        for (place, argument) in operation.arguments.iter().enumerate() {
            match argument {
                Argument::Scalar(field) => {
                    steps.push(self.step(&field.generator));
                    meanings.extend(self.meaning(field, places, 0).map(|meaning| (place, meaning)));
                    places += u32::from(field.is_content());
                }
                Argument::List { min, max, fields, .. } => {
                    let contents = fields.iter().filter(|field| field.is_content()).count() as u32;
                    let mut first = places;
                    let mut list = Vec::new();
                    for field in fields {
                        let step = self.step(&field.generator);
                        let meaning = self.meaning(field, first, contents);
                        list.push(ListField { step, meaning, distinct: field.is_distinct() });
                        first += u32::from(field.is_content());
                    }
                    places += max * contents;
                    let lengths = u64::from(max - min) + 1;
                    steps.push(Step::List(Box::new(List {
                        min: u64::from(*min),
                        lengths,
                        fields: list.into(),
                    })));
                }
            }
        }
        Operation { steps: steps.into(), meanings: meanings.into() }
    }

    fn step(&mut self, generator: &Generator) -> Step {
        match *generator {
            Generator::Constant { value } => Step::Constant(value),
            Generator::Uniform { over, not: Some(not), distinct: false } => Step::BelowNot(over.count, not),
            Generator::Uniform { over, .. } => Step::Below(over.count),
            Generator::Zipf { over, exponent, not, distinct, .. } => {
                let ranks = RankSampler::guided(exponent, 1, over.count);
                match not.filter(|_| !distinct) {
                    None => Step::Rank(ranks),
                    Some(not) => {
                        let from_second = RankSampler::guided(exponent, 2, over.count);
                        Step::RankNot(Box::new(RankNot { ranks, from_second, not }))
                    }
                }
            }
            Generator::YcsbZipf { over, exponent } => {
                Step::Folded(RankSampler::guided(exponent, 1, YCSB_ITEMS), over.count)
            }
            Generator::Latest { table, rows, exponent } => {
                self.latest.push((exponent, rows));
                Step::Latest { number: self.latest.len() - 1, table }
            }
            Generator::Fresh { table, rows } => Step::Fresh { table, rows },
            Generator::Operation => Step::Operation,
            Generator::Chance { percent } => Step::Chance(percent),
            Generator::Session { over } => Step::Session(over.count),
            Generator::Nurand { over, a, c } => {
                Step::Nurand { a, min: over.min as u64, count: over.count, c }
            }
            Generator::Syllables { over, a, c, .. } => Step::Nurand { a, min: 0, count: over.count, c },
            Generator::Either { over, flag, is_field, same, differs } => {
                Step::Either { count: over.count, flag, is_field, same, differs }
            }
            // No argument has it.
            Generator::Code => Step::Constant(0),
            Generator::Content => {
                self.has_content = true;
                Step::Content
            }
            // The log writes what a reply had over it.
            Generator::Replied { initial, .. } => Step::Constant(initial as u64),
            Generator::Choice { ref options } => Step::Below(options.len() as u64),
        }
    }

    /// `None` where the index is the value.
    fn meaning(&self, field: &Field, place: u32, stride: u32) -> Option<Meaning> {
        match &field.generator {
            Generator::Content => Some(Meaning::Content { kind: field.kind, place, stride }),
            Generator::Zipf { over: Over { table: Some(table), count, .. }, scramble: true, .. } => {
                Some(Meaning::Permuted(Permutation::new(self.workload.seed, *table as u32, *count)))
            }
            Generator::Syllables { syllables, digits, .. } => {
                let name = |number: u64| -> String {
                    let digits = format!("{number:0width$}", width = *digits as usize);
                    digits.bytes().map(|digit| syllables[usize::from(digit - b'0')].as_str()).collect()
                };
                Some(Meaning::Named((0..10_u64.pow(*digits)).map(name).collect()))
            }
            Generator::Uniform { over, .. }
            | Generator::Zipf { over, .. }
            | Generator::YcsbZipf { over, .. }
            | Generator::Session { over }
            | Generator::Nurand { over, .. }
            | Generator::Either { over, .. } => match (field.kind, over.min) {
                (Type::Bool, min) => Some(Meaning::Flag(min as u64)),
                (_, 0) => None,
                (_, min) => Some(Meaning::Offset(min as u64)),
            },
            _ => None,
        }
    }
}

/// A whole number below `count`, which is at most 2³²: one word of the generator.
#[inline]
pub(crate) fn below(random: &mut Xoshiro128, count: u64) -> u64 {
    (u64::from(random.next_u32()) * count) >> 32
}
