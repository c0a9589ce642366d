//! What is asked of a table and of the files that hold its rows.

use arrow::array::{Array, RecordBatch};
use arrow::datatypes::DataType;
use arrow::util::display::{ArrayFormatter, FormatOptions};

use crate::datum::upper_type_name;
use crate::plan::law::random::Random;

/// A question.
#[derive(Debug, Clone)]
pub(super) enum Question {
    /// Which rows satisfy this.
    Filter(String),
    /// A query of `{}`.
    Query(String),
}

/// Questions about these rows.
pub(super) fn questions(random: &mut Random, rows: &RecordBatch) -> Vec<Question> {
    let mut questions = vec![Question::Query("SELECT * FROM {} ORDER BY id".to_owned())];
    for place in 1..rows.num_columns() {
        let asker = Asker { rows, place };
        questions.extend(asker.queries(random));
        for _ in 0..3 {
            let condition = asker.condition(random);
            let condition = if random.percent(25) {
                let place = random.between(1, rows.num_columns() - 1);
                let other = Asker { rows, place }.condition(random);
                let operator = random.pick(&["AND", "OR"]);
                format!("({condition}) {operator} ({other})")
            } else {
                condition
            };
            questions.push(Question::Filter(condition));
        }
    }
    questions
}

/// Asks about a column.
struct Asker<'r> {
    rows: &'r RecordBatch,
    place: usize,
}

impl Asker<'_> {
    fn data_type(&self) -> &DataType {
        self.rows.column(self.place).data_type()
    }

    fn name(&self) -> String {
        self.rows.schema().field(self.place).name().clone()
    }

    fn queries(&self, random: &mut Random) -> Vec<Question> {
        let c = self.name();
        let mut queries = vec![format!("SELECT count({c}) FROM {{}}")];
        if !self.data_type().is_nested() {
            queries.push(format!("SELECT min({c}) FROM {{}}"));
            queries.push(format!("SELECT max({c}), count(*) FROM {{}}"));
            queries.push(format!(
                "SELECT {c}, count(*) FROM {{}} GROUP BY {c} ORDER BY {c} NULLS FIRST"
            ));
            let direction = random.pick(&["", " DESC"]);
            let nulls = random.pick(&["FIRST", "LAST"]);
            queries.push(format!(
                "SELECT {c} FROM {{}} ORDER BY {c}{direction} NULLS {nulls} LIMIT {}",
                random.between(1, 5)
            ));
            let (a, b) = (self.literal(random), self.literal(random));
            queries.push(format!(
                "SELECT f.id, v.x FROM {{}} f JOIN (VALUES ({a}), ({b})) v (x) ON f.{c} = v.x ORDER BY 1"
            ));
        }
        let chosen = queries.len().min(3);
        random.shuffle(&mut queries);
        queries.truncate(chosen);
        queries.into_iter().map(Question::Query).collect()
    }

    /// A value of the column, as SQL; also one that a column holds which begins the same.
    fn literal(&self, random: &mut Random) -> String {
        let column = self.rows.column(self.place);
        let row = random.between(0, column.len() - 1);
        let row = (row..column.len())
            .chain(0..row)
            .find(|row| column.is_valid(*row));
        let of = upper_type_name(column.data_type());
        let Some(row) = row else {
            return match column.data_type() {
                DataType::Boolean => "true".to_owned(),
                data_type if data_type.is_numeric() => format!("CAST('1' AS {of})"),
                DataType::Date32 | DataType::Timestamp(..) => format!("CAST('2000-01-01' AS {of})"),
                _ => format!("CAST('a' AS {of})"),
            };
        };
        if let Some(texts) = column.as_any().downcast_ref::<arrow::array::BinaryArray>() {
            let bytes = texts.value(row).iter();
            let digits: String = bytes.map(|byte| format!("{byte:02x}")).collect();
            return format!("CAST('\\x{digits}' AS BYTEA)");
        }
        let options = FormatOptions::default();
        let formatter = ArrayFormatter::try_new(column, &options).expect("values have texts");
        let text = formatter.value(row).to_string().replace('\'', "''");
        format!("CAST('{text}' AS {of})")
    }

    fn condition(&self, random: &mut Random) -> String {
        let c = self.name();
        if self.data_type().is_nested() {
            return random
                .pick(&[format!("{c} IS NULL"), format!("{c} IS NOT NULL")])
                .clone();
        }
        let (a, b) = (self.literal(random), self.literal(random));
        let mut conditions = vec![
            format!("{c} = {a}"),
            format!("{c} <> {a}"),
            format!("{c} < {a}"),
            format!("{c} <= {a}"),
            format!("{c} > {a}"),
            format!("{c} >= {a}"),
            format!("{a} < {c}"),
            format!("{c} BETWEEN {a} AND {b}"),
            format!("{c} NOT BETWEEN {a} AND {b}"),
            format!("{c} IN ({a}, {b})"),
            format!("{c} NOT IN ({a}, {b})"),
            format!("{c} IS NULL"),
            format!("{c} IS NOT NULL"),
            format!("{c} IS DISTINCT FROM {a}"),
            format!("{c} IS NOT DISTINCT FROM {a}"),
            format!("NOT ({c} > {a})"),
            format!("NOT ({c} = {a} OR {c} IS NULL)"),
            format!("coalesce({c}, {a}) = {a}"),
            format!("{c} > {a} OR {c} IS NULL"),
            format!("({c} >= {a}) IS NOT TRUE"),
            format!("CASE WHEN {c} > {a} THEN {c} ELSE {b} END = {b}"),
        ];
        conditions.extend(self.conditions_of_type(random));
        random.pick(&conditions).clone()
    }

    fn conditions_of_type(&self, random: &mut Random) -> Vec<String> {
        let c = self.name();
        match self.data_type() {
            DataType::Boolean => vec![
                c.clone(),
                format!("NOT {c}"),
                format!("{c} IS TRUE"),
                format!("{c} IS NOT FALSE"),
            ],
            DataType::Utf8 => {
                let beginning =
                    *random.pick(&["a", "a long b", "A", "\u{7f}", "z", "it", "\u{10ffff}"]);
                let quoted = beginning.replace('\'', "''");
                vec![
                    format!("{c} LIKE '{quoted}%'"),
                    format!("{c} NOT LIKE '{quoted}%'"),
                    format!("{c} LIKE '%{quoted}'"),
                    format!("{c} ILIKE '{quoted}%'"),
                    format!("starts_with({c}, '{quoted}')"),
                    format!("left({c}, 1) = left('{quoted}', 1)"),
                ]
            }
            DataType::Date32 => vec![
                format!("{c} < TIMESTAMP '1970-01-02 12:00:00'"),
                format!("{c} >= TIMESTAMP '2000-01-01'"),
                format!("extract(year FROM {c}) = 1970"),
            ],
            DataType::Timestamp(..) => vec![
                format!("{c} > DATE '1970-01-01'"),
                format!("CAST({c} AS DATE) = DATE '1970-01-02'"),
            ],
            data_type if data_type.is_numeric() => vec![
                format!("{c} > 0.5"),
                format!("{c} <= 1e0"),
                format!("{c} < -0.0"),
                format!("{c} = 0"),
                format!("CAST({c} AS TEXT) > '1'"),
                format!("CAST({c} AS DOUBLE) >= 3"),
            ],
            _ => Vec::new(),
        }
    }
}
