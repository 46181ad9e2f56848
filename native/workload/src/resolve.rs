//! A description with its parameters' values: every number is known.

use serde_json::{Map, Value};

use crate::description::{self, Asserts, Bound, Description, Domain, Effect, Generator, Order, Type};
use crate::effects::Change;
use crate::parameters::Parameters;
use crate::workload::{
    Argument, Column, Draw, Field, Get, Operation, Range, Read, ReadRows, Returns, Table, Workload,
};

const KEYS_MAX: u64 = 1 << 32;
const RECORDS_MAX: u64 = 65_536;

impl Workload {
    /// Puts the parameters of a trial plan into a description: every one of them is stated, and `seed`.
    ///
    /// # Errors
    /// One line that names the parameter or the field.
    pub fn resolve(description: &Description, parameters: &Map<String, Value>) -> Result<Self, String> {
        let values = Parameters::check(parameters, &description.parameters)?;
        let seed = values.seed()?;
        let resolver = Resolver { description, values };
        let mut tables: Vec<Table> =
            description.tables.iter().map(|table| resolver.table(table)).collect::<Result<_, _>>()?;
        for (number, table) in description.tables.iter().enumerate() {
            for (column, seed) in resolver.seeds(table, &tables)?.into_iter().enumerate() {
                tables[number].columns[column].seed = seed;
            }
        }
        let operations = description.operations.iter().map(|each| resolver.operation(each, &tables));
        let operations = operations.collect::<Result<Vec<_>, _>>()?;
        if operations.iter().all(|operation| operation.weight == 0) {
            return Err("operations: at least one operation needs a weight above 0".to_owned());
        }
        Ok(Self { name: description.name.clone(), seed, tables, operations })
    }
}

struct Resolver<'a> {
    description: &'a Description,
    values: Parameters<'a>,
}

impl Resolver<'_> {
    fn table(&self, table: &description::Table) -> Result<Table, String> {
        let wrong = |reason: String| format!("tables.{}.rows: {reason}", table.name);
        let extent =
            |bound| u64::try_from(self.values.bound(bound)?).map_err(|_| "expected 0 or more".to_owned());
        let extents: Vec<u64> = table.rows.iter().map(extent).collect::<Result<_, _>>().map_err(wrong)?;
        let product = extents.iter().try_fold(1_u64, |product, extent| product.checked_mul(*extent));
        let rows =
            product.filter(|rows| *rows <= KEYS_MAX).ok_or_else(|| wrong("at most 2^32 rows".to_owned()))?;
        let operations = &self.description.operations;
        let column = |column: &description::Field| {
            let changes =
                |change| operations.iter().any(|each| each.changes(&table.name, &column.name, change));
            Column {
                name: column.name.clone(),
                kind: column.kind,
                seed: Draw::Constant(0),
                set: changes(Change::Set),
                added: changes(Change::Added),
            }
        };
        let is_drawn =
            |each: &description::Operation| self.values.weight(&each.weight).is_ok_and(|weight| weight > 0);
        let columns: Vec<Column> = table.columns.iter().map(column).collect();
        let is_read =
            |each: &description::Operation| each.returns.table() == Some(&table.name) && is_drawn(each);
        let is_ruled = |each: &description::Operation| each.ruled_tables().any(|ruled| ruled == table.name);
        Ok(Table {
            name: table.name.clone(),
            rows,
            key: table.key.clone(),
            extents,
            inserted: operations.iter().any(|each| each.inserts(&table.name)),
            timed: operations.iter().any(|each| is_read(each) || is_ruled(each))
                || columns.iter().any(|column| column.set),
            columns,
            written: operations
                .iter()
                .flat_map(description::Operation::written_tables)
                .any(|name| name == table.name),
        })
    }

    fn operation(&self, operation: &description::Operation, tables: &[Table]) -> Result<Operation, String> {
        let path = format!("operations.{}", operation.name);
        let mut reasons: Vec<String> = Vec::new();
        for description::Decline { reason, .. } in &operation.declines {
            if !reasons.contains(reason) {
                reasons.push(reason.clone());
            }
        }
        let arguments = operation.arguments.iter().map(|argument| self.argument(argument, tables, &path));
        let (returns, reads) =
            self.returns(operation, tables).map_err(|reason| format!("{path}.returns: {reason}"))?;
        let reads_written = reads.as_ref().is_some_and(|read| tables[read.table].written);
        let rules_inserted = operation
            .ruled_tables()
            .any(|ruled| tables.iter().any(|each| each.name == ruled && each.inserted));
        Ok(Operation {
            name: operation.name.clone(),
            weight: self
                .values
                .weight(&operation.weight)
                .map_err(|reason| format!("{path}.weight: {reason}"))?,
            arguments: arguments.collect::<Result<_, _>>()?,
            reasons,
            writes: !operation.effects.is_empty(),
            timed: reads_written
                || rules_inserted
                || operation.effects.iter().any(|effect| is_timed(effect, tables)),
            returns,
            reads,
        })
    }

    /// What the columns' seeded values are drawn by.
    fn seeds(&self, table: &description::Table, tables: &[Table]) -> Result<Vec<Draw>, String> {
        let seeds = table.columns.iter().map(|column| {
            let seed = self.generator(&column.generator, column.kind, tables);
            seed.map_err(|reason| format!("tables.{}.{}: {reason}", table.name, column.name))
        });
        seeds.collect()
    }

    fn argument(
        &self,
        argument: &description::Argument,
        tables: &[Table],
        path: &str,
    ) -> Result<Argument, String> {
        match argument {
            description::Argument::Scalar(field) => self.field(field, tables, path).map(Argument::Scalar),
            description::Argument::List(list) => {
                let path = format!("{path}.{}", list.name);
                let length =
                    |bound| self.values.bound(bound).ok().and_then(|length| u32::try_from(length).ok());
                let lengths = length(&list.length.min).zip(length(&list.length.max));
                let fits = lengths.filter(|(min, max)| min <= max && u64::from(*max) <= RECORDS_MAX);
                let (min, max) =
                    fits.ok_or_else(|| format!("{path}.length: expected 0 ≤ min ≤ max ≤ {RECORDS_MAX}"))?;
                let fields = list.fields.iter().map(|field| self.field(field, tables, &path));
                Ok(Argument::List {
                    name: list.name.clone(),
                    min,
                    max,
                    fields: fields.collect::<Result<_, _>>()?,
                })
            }
        }
    }

    fn field(&self, field: &description::Field, tables: &[Table], path: &str) -> Result<Field, String> {
        let generator = self
            .generator(&field.generator, field.kind, tables)
            .map_err(|reason| format!("{path}.{}: {reason}", field.name))?;
        Ok(Field { name: field.name.clone(), kind: field.kind, generator })
    }

    fn generator(&self, generator: &Generator, kind: Type, tables: &[Table]) -> Result<Draw, String> {
        let table = |name: &str| number_of(tables, name).map(|number| (number as u32, tables[number].rows));
        Ok(match generator {
            Generator::Constant { value } => Draw::Constant(self.values.constant(value)?),
            Generator::Uniform { over, not, distinct } => Draw::Uniform {
                range: self.range(over, kind, tables)?,
                not: not.clone(),
                distinct: *distinct,
            },
            Generator::Zipf { over, exponent, scramble, not, distinct } => Draw::Zipf {
                range: self.range(over, kind, tables)?,
                exponent: self.values.value(exponent)?,
                scramble: self.values.value(scramble)?,
                not: not.clone(),
                distinct: *distinct,
            },
            Generator::YcsbZipf { over, exponent } => Draw::YcsbZipf {
                range: self.range(over, kind, tables)?,
                exponent: self.values.value(exponent)?,
            },
            Generator::Latest { table: name, exponent } => {
                let (table, rows) = table(name)?;
                Draw::Latest { table, rows, exponent: self.values.value(exponent)? }
            }
            Generator::Fresh { table: name } => {
                let (table, rows) = table(name)?;
                Draw::Fresh { table, rows }
            }
            Generator::Operation => Draw::Operation,
            Generator::Content => Draw::Content,
            Generator::Choice { options } => Draw::Choice { options: options.len() as u32 },
            Generator::ByParameter { parameter, cases } => {
                let value = self.values.text(parameter);
                let chosen =
                    cases.get(value).ok_or_else(|| format!("no generator for {parameter} {value:?}"))?;
                let chosen = serde_path_to_error::deserialize(chosen)
                    .map_err(|error| format!("{value}.{}: {}", error.path(), error.inner()))?;
                self.generator(&chosen, kind, tables)?
            }
        })
    }

    fn range(&self, domain: &Domain, kind: Type, tables: &[Table]) -> Result<Range, String> {
        let (table, min, count) = match domain {
            Domain::Rows { table: name, column } => {
                let number = number_of(tables, name)?;
                let Table { key, extents, .. } = &tables[number];
                let place =
                    column.as_ref().map_or(Some(0), |column| key.iter().position(|name| name == column));
                let count = place.and_then(|place| extents.get(place)).copied();
                (Some(number as u32), 0, count.ok_or_else(|| format!("{name} has no such key column"))?)
            }
            Domain::Count { count } => (None, 0, self.values.bound(count)?.try_into().unwrap_or(0)),
            Domain::Range { min, max } => {
                let (min, max) = (self.values.bound(min)?, self.values.bound(max)?);
                (None, min, u64::try_from(i128::from(max) - i128::from(min) + 1).unwrap_or(0))
            }
        };
        if !(1..=KEYS_MAX).contains(&count) {
            return Err(format!("1 to 2^32 values, got {count}; change the bounds"));
        }
        if kind == Type::Key && (min < 0 || min as u64 + count > KEYS_MAX) {
            return Err("a key is from 0 to 2^32 − 1; change the bounds".to_owned());
        }
        Ok(Range { table, min, count })
    }

    fn returns(
        &self,
        operation: &description::Operation,
        tables: &[Table],
    ) -> Result<(Returns, Option<Read>), String> {
        use description::Returns as Described;
        let gets = |references: &[String]| -> Result<Vec<Get>, String> {
            references.iter().map(|reference| get(operation, reference)).collect()
        };
        let (name, rows) = match &operation.returns {
            Described::Nothing => return Ok((Returns::Nothing, None)),
            Described::Fields { fields } => {
                let fields = fields.iter().map(|field| (field.name.clone(), field.kind));
                return Ok((Returns::Fields(fields.collect()), None));
            }
            Described::Row { table, keys } => (table, ReadRows::Row(gets(keys)?)),
            Described::ChosenRows { table } => (table, ReadRows::Chosen),
            Described::Scan { table, from, prefix, order, limit } => {
                let limit = match limit {
                    Bound::Whole(limit) => Get::Constant(*limit),
                    Bound::Text(reference) => get(operation, reference)?,
                };
                let (descending, complete) = (*order == Order::Descending, operation.asserts == Asserts::All);
                (
                    table,
                    ReadRows::Scan { from: gets(from)?, prefix: gets(prefix)?, descending, limit, complete },
                )
            }
        };
        let table = number_of(tables, name)?;
        let columns = tables[table].columns.iter().map(|column| (column.name.clone(), column.kind)).collect();
        let is_single = matches!(rows, ReadRows::Row(_));
        Ok((Returns::Rows { columns, is_single }, Some(Read { table, rows })))
    }
}

fn number_of(tables: &[Table], name: &str) -> Result<usize, String> {
    let number = tables.iter().position(|table| table.name == name);
    number.ok_or_else(|| format!("there is no table {name}"))
}

/// Whether it sets a column, or inserts rows whose time matters.
fn is_timed(effect: &Effect, tables: &[Table]) -> bool {
    match effect.alone() {
        Effect::Set { .. } | Effect::SetChosen { .. } => true,
        Effect::Insert { table } => tables.iter().any(|each| each.name == *table && each.timed),
        Effect::Add { .. } | Effect::Each { .. } => false,
    }
}

/// An argument, or a field of a list of them.
fn get(operation: &description::Operation, reference: &str) -> Result<Get, String> {
    let (name, field) = reference.split_once('.').unwrap_or((reference, ""));
    operation
        .arguments
        .iter()
        .enumerate()
        .find_map(|(place, argument)| match argument {
            description::Argument::Scalar(scalar) => {
                (scalar.name == reference).then_some(Get::Argument(place))
            }
            description::Argument::List(list) if list.name == name => {
                let number = list.fields.iter().position(|each| each.name == field)?;
                Some(Get::Field(place, number))
            }
            description::Argument::List(_) => None,
        })
        .ok_or_else(|| format!("there is no argument {reference}"))
}
