//! `order_state`: what became of the orders of a shop, one row for each state that an order went through.
//!
//! An order's number is its day and its place in that day. Its states come together, order by order; in time, they
//! overlap those of other orders.

use std::collections::VecDeque;

use arrow::datatypes::SchemaRef;

use super::clock::{Clock, EVENING, date_digits, day};
use super::column::{self, Column, Value};
use super::random::{Random, Weighted};
use super::{Generator, Rows, Source};

/// Orders of a day.
const A_DAY: i64 = 200;
/// Customers, some of whom order often.
const CUSTOMERS: u64 = 3_000;
/// Milliseconds of a minute.
const MINUTE: i64 = 60_000;

/// The data set.
pub struct OrderState;

impl Generator for OrderState {
    fn name(&self) -> &'static str {
        "order_state"
    }

    fn about(&self) -> &'static str {
        "the states that an order went through, some five each, 200 orders a day"
    }

    fn schema(&self) -> SchemaRef {
        column::schema(States::COLUMNS)
    }

    fn source(&self, seed: u64) -> Box<dyn Source> {
        Box::new(States {
            random: Random::named(seed, self.name()),
            clock: Clock::new(A_DAY, EVENING),
            customers: Weighted::zipf(CUSTOMERS, 100),
            today: (0, 0),
            waiting: VecDeque::new(),
        })
    }
}

struct States {
    random: Random,
    clock: Clock,
    customers: Weighted,
    /// The day, and how many orders it has had.
    today: (i32, u32),
    /// The states of the last order that were not yet asked for.
    waiting: VecDeque<Row>,
}

#[derive(Clone)]
struct Row {
    order_id: String,
    ts: i64,
    state: &'static str,
    customer: i32,
    warehouse: &'static str,
}

impl Rows for States {
    type Row = Row;
    const COLUMNS: &'static [Column<Row>] = &[
        ("order_id", Value::Text(|row| &row.order_id)),
        ("ts", Value::Milliseconds(|row| row.ts)),
        ("state", Value::Text(|row| row.state)),
        ("customer", Value::Int32(|row| row.customer)),
        ("warehouse", Value::Text(|row| row.warehouse)),
    ];

    fn next(&mut self) -> Row {
        loop {
            if let Some(row) = self.waiting.pop_front() {
                return row;
            }
            self.order();
        }
    }
}

impl States {
    /// An order with all of its states.
    fn order(&mut self) {
        let random = &mut self.random;
        let mut ts = self.clock.next(random);
        let today = day(ts);
        let placed = if today == self.today.0 {
            self.today.1 + 1
        } else {
            1
        };
        self.today = (today, placed);
        let order_id = format!("{}-{placed:04}", date_digits(ts));
        let customer = self.customers.draw(random) + 1;
        let customer = i32::try_from(customer).unwrap_or(i32::MAX);
        let warehouse = random.pick(&["north", "north", "south", "port"]);
        for &(state, least, most) in course(random) {
            ts += random.between(least * MINUTE, most * MINUTE);
            self.waiting.push_back(Row {
                order_id: order_id.clone(),
                ts,
                state,
                customer,
                warehouse,
            });
        }
    }
}

/// The states of an order, each with the least and the most minutes since the state before it.
fn course(random: &mut Random) -> &'static [(&'static str, i64, i64)] {
    const DELIVERED: &[(&str, i64, i64)] = &[
        ("created", 0, 0),
        ("paid", 1, 90),
        ("packed", 60, 900),
        ("shipped", 30, 1_200),
        ("delivered", 1_000, 5_000),
    ];
    const RETURNED: &[(&str, i64, i64)] = &[
        ("created", 0, 0),
        ("paid", 1, 90),
        ("packed", 60, 900),
        ("shipped", 30, 1_200),
        ("delivered", 1_000, 5_000),
        ("returned", 2_000, 20_000),
        ("refunded", 1_000, 9_000),
    ];
    const CANCELLED: &[(&str, i64, i64)] = &[("created", 0, 0), ("cancelled", 5, 2_000)];
    const LOST: &[(&str, i64, i64)] = &[
        ("created", 0, 0),
        ("paid", 1, 90),
        ("packed", 60, 900),
        ("shipped", 30, 1_200),
        ("lost", 15_000, 30_000),
        ("refunded", 100, 5_000),
    ];
    match random.below(100) {
        0..=79 => DELIVERED,
        80..=91 => RETURNED,
        92..=98 => CANCELLED,
        _ => LOST,
    }
}
