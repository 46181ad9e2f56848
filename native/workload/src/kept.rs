//! What sessions keep of their replies for the arguments of later operations: the twin of
//! `packages/workload/src/replay/kept-replies.ts`.

use crate::reply::Reply;
use crate::values::Values;
use crate::workload::{Argument, Generator, Operation, Returns, Type, Workload};

/// A value that each session keeps: that of the field of this name.
struct Kept {
    field: String,
    hold: u32,
    initial: i64,
}

/// Which arguments an operation takes from the kept values, and which of its own fields are kept.
struct Keeping {
    /// Places of arguments and of kept values.
    takes: Box<[(usize, usize)]>,
    /// Places of fields and of kept values.
    gives: Box<[(usize, usize)]>,
}

/// What the sessions of a workload keep.
pub(crate) struct KeptFields {
    kept: Vec<Kept>,
    /// By operation.
    operations: Vec<Keeping>,
}

/// The values that one session keeps, with the operations whose replies had them.
#[derive(Default)]
pub(crate) struct KeptReplies(Vec<(u64, Option<u32>)>);

impl KeptFields {
    pub(crate) fn new(workload: &Workload) -> Self {
        let mut kept: Vec<Kept> = Vec::new();
        let takes: Vec<Box<[_]>> = workload
            .operations
            .iter()
            .map(|operation| {
                let all = operation.arguments.iter().enumerate();
                all.filter_map(|(place, argument)| Some((place, number_of(&mut kept, argument)?))).collect()
            })
            .collect();
        let operations = workload
            .operations
            .iter()
            .zip(takes)
            .map(|(operation, takes)| Keeping { takes, gives: given_by(operation, &kept) })
            .collect();
        Self { kept, operations }
    }

    /// Of a session before its first reply.
    pub(crate) fn initial(&self) -> KeptReplies {
        KeptReplies(self.kept.iter().map(|kept| (kept.initial as u64, None)).collect())
    }

    /// Whether an operation takes arguments.
    pub(crate) fn takes(&self, operation: u32) -> bool {
        !self.operations[operation as usize].takes.is_empty()
    }

    /// The arguments that an operation took.
    pub(crate) fn taken(&self, values: &Values) -> impl ExactSizeIterator<Item = u64> {
        self.operations[values.operation as usize].takes.iter().map(|(argument, _)| values.words[*argument])
    }
}

impl KeptReplies {
    /// Writes the arguments of an operation that is drawn now.
    #[inline]
    pub(crate) fn fill(&self, fields: &KeptFields, values: &mut Values) {
        for (argument, kept) in &fields.operations[values.operation as usize].takes {
            values.words[*argument] = self.0[*kept].0;
        }
    }

    /// Takes the fields of an operation that was applied.
    pub(crate) fn note(&mut self, fields: &KeptFields, values: &Values, reply: &Reply) {
        let Some(row) = reply.rows().next() else { return };
        for (field, kept) in &fields.operations[values.operation as usize].gives {
            let is_held = self.0[*kept].1.is_some_and(|before| {
                i64::from(values.sequence) - i64::from(before) < i64::from(fields.kept[*kept].hold)
            });
            if !is_held {
                self.0[*kept] = (row[*field], Some(values.sequence));
            }
        }
    }
}

/// The place of the kept value that an argument takes, if it takes one.
fn number_of(kept: &mut Vec<Kept>, argument: &Argument) -> Option<usize> {
    let Argument::Scalar(scalar) = argument else { return None };
    let Generator::Replied { field, hold, initial } = &scalar.generator else { return None };
    let is_same = |each: &Kept| each.field == *field && each.hold == *hold && each.initial == *initial;
    Some(kept.iter().position(is_same).unwrap_or_else(|| {
        kept.push(Kept { field: field.clone(), hold: *hold, initial: *initial });
        kept.len() - 1
    }))
}

fn given_by(operation: &Operation, kept: &[Kept]) -> Box<[(usize, usize)]> {
    let Returns::Fields { fields } = &operation.returns else { return Box::default() };
    let place_of =
        |kept: &Kept| fields.iter().position(|field| field.name == kept.field && field.kind == Type::Int64);
    kept.iter().enumerate().filter_map(|(place, kept)| Some((place_of(kept)?, place))).collect()
}
