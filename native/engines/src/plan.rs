//! The operations of a workload as steps over stored rows, checked once.

use std::sync::Arc;

use fair_bench_workload::{Argument, Returns, Type, Workload};

use crate::engine::{Result, invalid};
use crate::program::{Change, Chosen, Condition, Effect, Operand, OperationSteps, Place, Row, Source, Steps};
use crate::rows::Table;

/// The operations of a workload, checked once; what all sessions share.
pub struct Plan {
    pub(crate) workload: Arc<Workload>,
    pub(crate) steps: Vec<OperationSteps>,
    pub(crate) tables: Vec<Table>,
}

impl Plan {
    /// For the operations of a workload.
    ///
    /// # Errors
    /// When the steps name what is not there, or what no engine can do.
    pub fn new(workload: &Arc<Workload>, mut steps: Steps) -> Result<Self> {
        for (number, table) in steps.tables.iter_mut().enumerate() {
            // The parameters of a trial say how long texts and bytes are.
            for (column, kind) in table.columns.iter_mut().zip(workload.column_types(number)) {
                column.kind = kind;
            }
        }
        let tables = steps.stored()?;
        let steps = steps.operations;
        if steps.len() != workload.operations.len() {
            return Err(invalid(format!("{} operations, not {}", steps.len(), workload.operations.len())));
        }
        let plan = Self { workload: Arc::clone(workload), steps, tables };
        for number in 0..plan.steps.len() {
            let name = &plan.workload.operations[number].name;
            plan.check(number).map_err(|reason| invalid(format!("{name}: {reason}")))?;
        }
        Ok(plan)
    }

    /// The tables as they are stored.
    #[must_use]
    pub fn tables(&self) -> &[Table] {
        &self.tables
    }

    /// Whether an operation that is drawn reads a range of keys.
    #[must_use]
    pub fn scans(&self) -> bool {
        let mut drawn = self.workload.operations.iter().filter(|operation| operation.weight > 0);
        drawn.any(|operation| matches!(operation.returns, Returns::Scan { .. }))
    }

    /// How many columns the reply of an operation has; `None` when it has no reply.
    #[inline]
    #[must_use]
    pub fn reply_columns(&self, operation: u32) -> Option<usize> {
        let columns = self.workload.operations[operation as usize].columns.len();
        (columns > 0).then_some(columns)
    }

    /// Whether an operation reads, and needs no more than the engine's snapshot, or than one row of an engine without.
    #[inline]
    pub(crate) fn only_reads(&self, operation: u32, has_snapshots: bool) -> bool {
        let (operation, steps) =
            (&self.workload.operations[operation as usize], &self.steps[operation as usize]);
        let is_lookup = || steps.rules.is_empty() && matches!(operation.returns, Returns::Row { .. });
        !operation.writes && (has_snapshots || is_lookup())
    }

    fn check(&self, number: usize) -> Result<()> {
        let OperationSteps { rules, effects, found } = &self.steps[number];
        let scope = Scope { plan: self, arguments: &self.workload.operations[number].arguments };
        for rule in rules {
            scope.list(rule.list)?;
            match &rule.holds {
                Condition::Missing { row } | Condition::Exists { row } => scope.row(row)?,
                Condition::Less { left, right } | Condition::Equal { left, right } => {
                    scope.operand(left)?;
                    scope.operand(right)?;
                }
            }
        }
        for Effect { list, change } in effects {
            scope.list(*list)?;
            scope.change(change)?;
        }
        found.iter().try_for_each(|place| scope.integer(place))?;
        match &self.workload.operations[number].returns {
            Returns::Nothing => Ok(()),
            Returns::Fields { fields } if fields.len() == found.len() => Ok(()),
            Returns::Row { table, .. } | Returns::Scan { table, .. } => scope.table(*table).map(drop),
            Returns::Fields { .. } | Returns::Records { .. } | Returns::ChosenRows { .. } => {
                Err(invalid("returns what its description leaves to the server"))
            }
        }
    }
}

/// What the steps of an operation may name.
struct Scope<'a> {
    plan: &'a Plan,
    arguments: &'a [Argument],
}

impl Scope<'_> {
    fn table(&self, number: usize) -> Result<&Table> {
        self.plan.tables.get(number).ok_or_else(|| invalid(format!("there is no table {number}")))
    }

    fn kind(&self, source: &Source) -> Result<Option<Type>> {
        let kind = match *source {
            Source::Constant { .. } => return Ok(None),
            Source::Argument { argument } => match self.arguments.get(argument) {
                Some(Argument::Scalar(field)) => Some(field.kind),
                _ => None,
            },
            Source::Field { argument, field } => match self.arguments.get(argument) {
                Some(Argument::List { fields, .. }) => fields.get(field).map(|field| field.kind),
                _ => None,
            },
        };
        kind.map(Some).ok_or_else(|| invalid(format!("there is no {source:?}")))
    }

    fn integer_of(&self, source: &Source) -> Result<()> {
        match self.kind(source)? {
            Some(kind @ (Type::Text { .. } | Type::Bytes { .. })) => {
                Err(invalid(format!("{kind:?} is no integer")))
            }
            _ => Ok(()),
        }
    }

    fn list(&self, list: Option<usize>) -> Result<()> {
        let Some(place) = list else { return Ok(()) };
        let is_list = matches!(self.arguments.get(place), Some(Argument::List { .. }));
        if is_list { Ok(()) } else { Err(invalid(format!("argument {place} is no list"))) }
    }

    fn row(&self, Row { table, keys }: &Row) -> Result<()> {
        let columns = self.table(*table)?.key_columns();
        if keys.len() != columns {
            return Err(invalid(format!("a key of table {table} has {columns} columns, not {}", keys.len())));
        }
        keys.iter().try_for_each(|key| self.integer_of(key))
    }

    fn integer(&self, Place { row, column }: &Place) -> Result<()> {
        self.row(row)?;
        match self.table(row.table)?.columns().get(*column) {
            Some(Type::Key | Type::Int64 | Type::Bool) => Ok(()),
            Some(kind) => Err(invalid(format!("{kind:?} is no integer"))),
            None => Err(invalid(format!("there is no column {column}"))),
        }
    }

    fn operand(&self, operand: &Operand) -> Result<()> {
        match operand {
            Operand::Value { value } => self.integer_of(value),
            Operand::Column(place) => self.integer(place),
        }
    }

    /// Whether a value fits into a column.
    fn assigned(&self, table: usize, column: usize, source: &Source) -> Result<()> {
        let table = self.table(table)?;
        let to =
            *table.columns().get(column).ok_or_else(|| invalid(format!("there is no column {column}")))?;
        match (to, self.kind(source)?) {
            (to @ (Type::Text { .. } | Type::Bytes { .. }), from) if from != Some(to) => {
                Err(invalid(format!("{from:?} does not fit into {to:?}")))
            }
            (Type::Key | Type::Int64 | Type::Bool, Some(from @ (Type::Text { .. } | Type::Bytes { .. }))) => {
                Err(invalid(format!("{from:?} does not fit into {to:?}")))
            }
            _ => Ok(()),
        }
    }

    fn change(&self, change: &Change) -> Result<()> {
        match change {
            Change::Add { row, column, amount, .. } => {
                self.row(row)?;
                let is_there = self.table(row.table)?.value_column(*column);
                is_there
                    .filter(|kind| *kind == Type::Int64)
                    .ok_or_else(|| invalid("adds to what is no int64"))?;
                self.integer_of(amount)
            }
            Change::Set { row, column, to } => {
                self.row(row)?;
                let columns = match column {
                    Chosen::One(column) => std::slice::from_ref(column),
                    Chosen::By { argument, columns } => {
                        self.integer_of(&Source::Argument { argument: *argument })?;
                        columns
                    }
                };
                columns.iter().try_for_each(|column| {
                    self.table(row.table)?
                        .value_column(*column)
                        .ok_or_else(|| invalid("sets a column of the key"))?;
                    self.assigned(row.table, *column, to)
                })
            }
            Change::Insert { table, columns, .. } => {
                let expected = self.table(*table)?.columns().len();
                if columns.len() != expected {
                    return Err(invalid(format!("{} columns inserted, not {expected}", columns.len())));
                }
                let given = columns.iter().enumerate();
                given
                    .filter_map(|(column, source)| Some((column, source.as_ref()?)))
                    .try_for_each(|(column, source)| self.assigned(*table, column, source))
            }
        }
    }
}
