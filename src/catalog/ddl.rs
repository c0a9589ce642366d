//! `CREATE TABLE`: from sqlparser's tree to a table's definition.
//!
//! Every clause is either taken or refused; none is ignored.

use sqlparser::ast::{
    ColumnDef, ColumnOption, CreateTable, CreateTableOptions, DataType, Expr, IndexColumn,
    PrimaryKeyConstraint, TableConstraint, Value, helpers::stmt_create_table::CreateTableBuilder,
};

use super::checks;
use super::names::{identifier, object_name};
use super::options::Options;
use super::part;
use super::split;
use super::types::sql_type;
use crate::datum::SqlType;
use crate::error::{Error, Result};
use crate::key::{NullOrder, PartDefinition, SortOrder};
use crate::schema::{Check, Column, Identity, Table};

/// The table that a statement declares, with `id` as its space.
///
/// # Errors
/// `InvalidInput` or `NotSupported` that names the table, the column or clause and the reason.
pub fn define_table(statement: &CreateTable, id: u64) -> Result<Table> {
    define_table_of(statement, None, id)
}

/// As [`define_table`], of a statement with `AS query`, whose columns are `given`: they are those of the table where the
/// statement declares none.
///
/// # Errors
/// As [`define_table`]; another number of columns than those that are declared.
pub fn define_table_of(
    statement: &CreateTable,
    given: Option<&[(String, SqlType)]>,
    id: u64,
) -> Result<Table> {
    let name = object_name(&statement.name)?;
    let of_table = |error: Error| error.context(format!("table `{name}`"));
    let (table, split) = build(statement, given, &name, id).map_err(of_table)?;
    table.validate()?;
    if split.is_empty() {
        return Ok(table);
    }
    let split = split::points(&split, &table).map_err(of_table)?;
    let table = Table { split, ..table };
    table.validate()?;
    Ok(table)
}

/// The table that `CREATE TABLE … LIKE` declares: all that `source` is, but for its name and its rows.
///
/// # Errors
/// As [`define_table`].
pub fn define_table_like(statement: &CreateTable, source: &Table, id: u64) -> Result<Table> {
    let name = object_name(&statement.name)?;
    let says_more = !statement.columns.is_empty() || !statement.constraints.is_empty();
    let refused = if says_more || statement.query.is_some() {
        Err(Error::unsupported(
            "CREATE TABLE … LIKE with columns, constraints or a query is not implemented",
        ))
    } else {
        refuse_other_clauses(statement)
    };
    refused.map_err(|error| error.context(format!("table `{name}`")))?;
    let mut table = Table {
        id,
        name,
        comment: None,
        // Two tables of one layout cannot be told apart there.
        keyspace: None,
        ..source.clone()
    };
    for column in &mut table.columns {
        if let Some(identity) = &mut column.identity {
            *identity = identity_of(&table.name, &column.name, identity.always);
        }
    }
    table.validate()?;
    Ok(table)
}

/// The table but for its SPLIT, and the values of each point of that.
fn build(
    statement: &CreateTable,
    given: Option<&[(String, SqlType)]>,
    name: &str,
    id: u64,
) -> Result<(Table, Vec<Vec<Expr>>)> {
    refuse_other_clauses(statement)?;
    let options = Options::of(statement)?.unwrap_or_default();
    let declared = columns(statement, given, name)?;
    let key = primary_key(statement)?;
    let key = key.iter().flat_map(|key| &key.columns);
    let key = key
        .map(part_definition)
        .collect::<Result<Vec<PartDefinition>>>()?;
    refuse_repeated_parts(&key)?;
    let in_key = |column: &str| {
        key.iter()
            .any(|part| part.expression.columns().any(|name| name == column))
    };
    let checks = checks::of(statement, name)?;
    let columns: Vec<Column> = declared
        .into_iter()
        .zip(0..)
        .map(|(column, id)| Column {
            id,
            nullable: column
                .nullable
                .unwrap_or_else(|| !in_key(&column.name) && column.identity.is_none()),
            name: column.name,
            sql_type: column.sql_type,
            default: column.default,
            missing: None,
            generated: column.generated,
            identity: column.identity,
            comment: column.comment,
        })
        .collect();
    let mut table = Table {
        id,
        name: name.to_owned(),
        columns,
        key,
        keyspace: None,
        families: Vec::new(),
        split: Vec::new(),
        checks,
        next_column: None,
        comment: None,
    };
    options.read(&mut table)?;
    Ok((table, options.split))
}

/// A column that is added to a table, and its CHECKs.
///
/// # Errors
/// As [`define_table`].
pub fn added_column(declared: &ColumnDef, table: &Table) -> Result<(Column, Vec<Check>)> {
    let mut options = declared.options.iter();
    if let Some(key) = options.find(|it| matches!(it.option, ColumnOption::PrimaryKey(_))) {
        return Err(Error::unsupported(format!(
            "ADD COLUMN with `{key}` is not implemented: the row key is laid out when the table is made"
        )));
    }
    let column = declare(declared, &table.name)?;
    if column.generated.is_some() || column.identity.is_some() {
        return Err(Error::unsupported(format!(
            "ADD COLUMN {declared} is not implemented, since the rows would be rewritten: make a table with the column \
             and INSERT … SELECT"
        )));
    }
    let checks = checks::of_column(declared, &table.name, &table.checks)?;
    let column = Column {
        id: table.next_column_id(),
        nullable: column.nullable.unwrap_or(true),
        name: column.name,
        sql_type: column.sql_type,
        default: column.default,
        missing: None,
        generated: None,
        identity: None,
        comment: column.comment,
    };
    Ok((column, checks))
}

/// Whatever is neither columns nor constraints must be as in a bare `CREATE TABLE name`.
fn refuse_other_clauses(statement: &CreateTable) -> Result<()> {
    let mut rest = statement.clone();
    rest.columns.clear();
    rest.constraints.clear();
    rest.if_not_exists = false;
    // Whether it takes the place of another, and where it goes, is not part of its definition.
    rest.or_replace = false;
    rest.temporary = false;
    rest.query = None;
    rest.like = None;
    if statement.like.is_none() && Options::of(statement)?.is_some() {
        rest.table_options = CreateTableOptions::None;
    }
    let bare = CreateTableBuilder::new(statement.name.clone()).build();
    if rest == bare {
        return Ok(());
    }
    let (rest, bare) = (rest.to_string(), bare.to_string());
    let clause: Vec<&str> = rest
        .split_whitespace()
        .filter(|word| !bare.split_whitespace().any(|known| known == *word))
        .collect();
    let clause = clause.join(" ");
    let instead = instead_of_clause(&clause).map(|instead| format!("; {instead}"));
    Err(Error::unsupported(format!(
        "CREATE TABLE with `{clause}` is not implemented{}",
        instead.unwrap_or_default()
    )))
}

/// What to write instead of an option of Phoenix.
fn instead_of_clause(clause: &str) -> Option<String> {
    let lower = clause.to_lowercase();
    let (_, behind) = lower.split_once("salt_buckets")?;
    let digits: String = behind
        .chars()
        .skip_while(|letter| !letter.is_ascii_digit())
        .take_while(char::is_ascii_digit)
        .collect();
    let buckets = if digits.is_empty() { "16" } else { &digits };
    Some(format!(
        "let the key begin with salt({buckets}): PRIMARY KEY (salt({buckets}), id)"
    ))
}

/// The columns that the statement declares, or else those of its query.
fn columns(
    statement: &CreateTable,
    given: Option<&[(String, SqlType)]>,
    table: &str,
) -> Result<Vec<Declared>> {
    let declared = statement.columns.iter();
    let declared = declared.map(|column| declare(column, table));
    let declared = declared.collect::<Result<Vec<_>>>()?;
    let Some(given) = given else {
        return Ok(declared);
    };
    if !declared.is_empty() && declared.len() != given.len() {
        return Err(Error::invalid(format!(
            "the query gives {} columns, {} are declared",
            given.len(),
            declared.len()
        )));
    }
    if !declared.is_empty() {
        return Ok(declared);
    }
    let given = given.iter().map(|(name, sql_type)| Declared {
        name: name.clone(),
        sql_type: sql_type.clone(),
        nullable: None,
        default: None,
        generated: None,
        identity: None,
        comment: None,
    });
    Ok(given.collect())
}

/// The primary key, declared behind the columns or at a column.
fn primary_key(statement: &CreateTable) -> Result<Option<PrimaryKeyConstraint>> {
    let mut keys = Vec::new();
    for constraint in &statement.constraints {
        match constraint {
            TableConstraint::PrimaryKey(key) => keys.push(key.clone()),
            TableConstraint::Check(_) => {}
            other => return Err(Error::unsupported(format!("`{other}` is not implemented"))),
        }
    }
    for column in &statement.columns {
        for option in &column.options {
            if let ColumnOption::PrimaryKey(key) = &option.option {
                let mut key = key.clone();
                key.columns = vec![IndexColumn::from(column.name.clone())];
                keys.push(key);
            }
        }
    }
    let key = match keys.as_slice() {
        [] => return Ok(None),
        [key] => key,
        _ => return Err(Error::invalid("a table has one PRIMARY KEY")),
    };
    let plain = key.name.is_none()
        && key.index_name.is_none()
        && key.index_type.is_none()
        && key.index_options.is_empty()
        && key.characteristics.is_none();
    if plain {
        Ok(Some(key.clone()))
    } else {
        Err(Error::unsupported(format!("`{key}` is not implemented")))
    }
}

fn part_definition(column: &IndexColumn) -> Result<PartDefinition> {
    if let Some(class) = &column.operator_class {
        return Err(Error::unsupported(format!(
            "`{class}` behind a key part is not implemented"
        )));
    }
    if column.column.with_fill.is_some() {
        return Err(Error::unsupported(
            "WITH FILL in a primary key is not implemented",
        ));
    }
    let options = &column.column.options;
    let direction = match options.asc {
        Some(false) => SortOrder::Descending,
        Some(true) | None => SortOrder::Ascending,
    };
    Ok(PartDefinition {
        expression: part::expression(&column.column.expr)?,
        direction,
        nulls: match options.nulls_first {
            None => direction.default_nulls(),
            Some(true) => NullOrder::First,
            Some(false) => NullOrder::Last,
        },
    })
}

/// A part that stands in the key already separates no rows and orders none.
fn refuse_repeated_parts(key: &[PartDefinition]) -> Result<()> {
    for (position, part) in key.iter().enumerate() {
        let part = part.expression.canonical();
        let mut before = key.iter().take(position);
        if before.any(|other| other.expression.canonical() == part) {
            return Err(Error::invalid(format!(
                "key part `{part}` stands in the key twice"
            )));
        }
    }
    Ok(())
}

/// The text of a DEFAULT; `None` for NULL, which is what a column has without one.
pub fn default_text(value: &Expr) -> Option<String> {
    let is_null = matches!(value, Expr::Value(value) if value.value == Value::Null);
    (!is_null).then(|| value.to_string())
}

struct Declared {
    name: String,
    sql_type: SqlType,
    nullable: Option<bool>,
    default: Option<String>,
    generated: Option<String>,
    identity: Option<Identity>,
    comment: Option<String>,
}

fn declare(column: &ColumnDef, table: &str) -> Result<Declared> {
    let name = identifier(&column.name);
    let (mut nullable, mut default, mut comment) = (None, None, None);
    let mut generated = None;
    let serial = serial(&column.data_type);
    let mut identity = serial.is_some().then(|| identity_of(table, &name, false));
    for option in &column.options {
        match &option.option {
            ColumnOption::Check(_) => {}
            _ if option.name.is_some() => {
                return Err(Error::unsupported(format!(
                    "column `{name}`: `{option}`: constraints have no names"
                )));
            }
            ColumnOption::Null | ColumnOption::NotNull => {
                let may_be = option.option == ColumnOption::Null;
                if nullable.replace(may_be).is_some_and(|said| said != may_be) {
                    return Err(Error::invalid(format!(
                        "column `{name}`: NULL and NOT NULL exclude each other"
                    )));
                }
            }
            ColumnOption::PrimaryKey(_) => {}
            ColumnOption::Default(value) => {
                if default.replace(value).is_some() {
                    let twice = format!("column `{name}`: DEFAULT is given twice");
                    return Err(Error::invalid(twice));
                }
            }
            ColumnOption::Comment(text) => comment = Some(text.clone()),
            other @ ColumnOption::Generated { .. } => {
                let of_column = |error: Error| error.context(format!("column `{name}`"));
                match generated_as(other, table, &name).map_err(of_column)? {
                    GeneratedAs::Expression(text) => generated = Some(text),
                    GeneratedAs::Identity(numbers) => identity = Some(numbers),
                }
            }
            other => {
                let instead = instead_of(other);
                return Err(Error::unsupported(format!(
                    "column `{name}`: `{other}` is not implemented{instead}"
                )));
            }
        }
    }
    let sql_type = match serial {
        Some(sql_type) => sql_type,
        None => sql_type(&column.data_type)
            .map_err(|error| error.context(format!("column `{name}`")))?,
    };
    Ok(Declared {
        name,
        sql_type,
        nullable,
        default: default.and_then(default_text),
        generated,
        identity,
        comment,
    })
}

/// What stands behind GENERATED.
enum GeneratedAs {
    Expression(String),
    Identity(Identity),
}

/// The rule of a column that is generated. One that is not said to be STORED is stored, too.
fn generated_as(option: &ColumnOption, table: &str, column: &str) -> Result<GeneratedAs> {
    use sqlparser::ast::GeneratedAs::{Always, ByDefault};
    match option {
        ColumnOption::Generated {
            generation_expr: Some(value),
            sequence_options: None,
            ..
        } => Ok(GeneratedAs::Expression(checks::unqualified(value, table))),
        ColumnOption::Generated {
            generated_as: as_said @ (Always | ByDefault),
            sequence_options,
            generation_expr: None,
            ..
        } => match sequence_options.as_deref() {
            None | Some([]) => {
                let always = *as_said == Always;
                Ok(GeneratedAs::Identity(identity_of(table, column, always)))
            }
            Some(_) => Err(Error::unsupported(
                "options of an identity are not implemented; CREATE SEQUENCE with them, and DEFAULT nextval('…')",
            )),
        },
        _ => Err(Error::unsupported(format!("`{option}` is not implemented"))),
    }
}

/// An identity with a name for its sequence such as PostgreSQL gives.
fn identity_of(table: &str, column: &str, always: bool) -> Identity {
    Identity {
        sequence: format!("{table}_{column}_seq"),
        always,
    }
}

/// The type of a column that PostgreSQL calls SERIAL.
fn serial(declared: &DataType) -> Option<SqlType> {
    let DataType::Custom(name, modifiers) = declared else {
        return None;
    };
    let name = name.to_string().to_ascii_lowercase();
    match (name.as_str(), modifiers.as_slice()) {
        ("serial" | "serial4", []) => Some(SqlType::Integer),
        ("bigserial" | "serial8", []) => Some(SqlType::BigInt),
        ("smallserial" | "serial2", []) => Some(SqlType::SmallInt),
        _ => None,
    }
}

/// What to write instead of an option of a column.
fn instead_of(option: &ColumnOption) -> &'static str {
    match option {
        ColumnOption::Unique(_) => {
            "; the row key alone is unique: let the column be the key of a table of its own"
        }
        ColumnOption::ForeignKey(_) => {
            "; leave it out, and ask with WHERE EXISTS (SELECT …) where it matters"
        }
        option if is_autoincrement(option) => "; write GENERATED BY DEFAULT AS IDENTITY",
        // What is left of PRIMARY KEY DESC.
        option if option.to_string().eq_ignore_ascii_case("desc") => {
            "; write the key behind the columns, as in PRIMARY KEY (id DESC)"
        }
        _ => "",
    }
}

/// What SQLite and MySQL write.
fn is_autoincrement(option: &ColumnOption) -> bool {
    let text = option.to_string().to_ascii_uppercase();
    text.contains("AUTOINCREMENT") || text.contains("AUTO_INCREMENT")
}
