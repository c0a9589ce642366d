use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::logical_expr::{BinaryExpr, Expr, LogicalPlan};

use super::*;
use crate::session::testing;
use crate::sql::stack::large_stack;
use crate::sql::token::tokenize;

/// The statement as it is parsed.
fn text(sql: &str) -> String {
    let tokens = tokenize(sql).expect("tokens");
    let bracketed = bracketed(&tokens).unwrap_or(tokens);
    bracketed
        .iter()
        .map(|token| token.token.to_string())
        .collect()
}

/// The most brackets around a place, and the most terms of one level.
fn shape(sql: &str) -> (usize, usize) {
    let (mut levels, mut most) = (vec![0], (0, 0));
    for token in bracketed(&tokenize(sql).expect("tokens")).expect("long") {
        match &token.token {
            Token::LParen => levels.push(0),
            Token::RParen => drop(levels.pop()),
            _ if is_keyword(&token, &[Keyword::AND, Keyword::OR]) => {
                *levels.last_mut().expect("level") += 1;
            }
            _ => {}
        }
        most.0 = most.0.max(levels.len() - 1);
        most.1 = most.1.max(levels.iter().copied().max().unwrap_or_default());
    }
    most
}

fn chain(operator: &str, terms: usize) -> String {
    let terms: Vec<String> = (0..terms).map(|n| format!("a = {n}")).collect();
    terms.join(&format!(" {operator} "))
}

#[test]
fn long_chains_are_flat_and_short_ones_as_they_are_written() {
    for operator in ["AND", "OR"] {
        let short = format!("SELECT * FROM t WHERE {}", chain(operator, 30));
        assert_eq!(text(&short), short);
        for (terms, depth) in [(40, 1), (1_000, 1), (2_000, 2), (100_000, 3)] {
            let sql = format!(
                "SELECT * FROM t WHERE {} ORDER BY a",
                chain(operator, terms)
            );
            let (deepest, longest) = shape(&sql);
            assert_eq!(deepest, depth, "{terms}");
            assert!(longest <= GROUP + 2, "{terms}: {longest}");
        }
    }
}

/// Brackets are set around whole terms alone: without them, the text is what it was, and what stands in them is a chain of
/// one operator.
#[test]
fn brackets_stand_around_whole_terms() {
    let many = |term: &str, operator: &str| vec![term; 40].join(operator);
    let or = many("x BETWEEN 1 AND 2", " OR ");
    for sql in [
        format!("SELECT a AND {or} OR b AS c, {or} d FROM t WHERE {or} GROUP BY {or}"),
        format!(
            "SELECT CASE WHEN {or} THEN {or} ELSE {or} END OR {or} FROM t JOIN u ON {or} WHERE f({or}, {or})"
        ),
        format!(
            "SELECT 1 FROM t WHERE NOT {} OR {or}",
            many("a IS DISTINCT FROM b", " AND NOT ")
        ),
        format!(
            "SELECT 1 FROM t WHERE {} UNION SELECT {or}",
            many("CASE WHEN a OR b THEN c END", " OR ")
        ),
        format!("SELECT 1 FROM t WHERE a OR {}", many("b AND c", " OR ")),
        format!("SELECT 1 WHERE {}", many("b OR c", " AND ")),
    ] {
        let bracketed = text(&sql);
        let plain = |text: &str| text.replace(['(', ')'], "");
        assert_eq!(plain(&bracketed), plain(&sql));
        let dialect = crate::sql::dialect::HaliteDialect::new(10_000);
        let parsed = |sql: &str| {
            let statement = sqlparser::parser::Parser::parse_sql(&dialect, sql);
            statement.unwrap_or_else(|error| panic!("{sql}: {error}"))
        };
        let nodes = |sql: &str| format!("{:?}", parsed(sql)).matches("BinaryOp").count();
        assert_eq!(nodes(&bracketed), nodes(&sql), "{sql}");
    }
    let terms = many("a AND b", " OR ");
    let bracketed = text(&format!("SELECT {terms}"));
    assert!(bracketed.contains("OR( a AND b OR a AND b"), "{bracketed}");
}

#[test]
fn text_that_is_no_statement_is_left_to_the_parser() {
    for sql in [")", "(((", "OR AND OR", "a OR"] {
        assert_eq!(text(sql), sql);
        let long = format!("{sql} {}", " OR ) AND ( ".repeat(100));
        text(&long);
    }
}

/// How many operators stand around the innermost term of a plan's conditions.
fn depth(plan: &LogicalPlan) -> usize {
    let mut deepest = 0;
    plan.apply_expressions(|condition| {
        let mut open = vec![(condition, 0)];
        while let Some((expr, around)) = open.pop() {
            deepest = deepest.max(around);
            if let Expr::BinaryExpr(BinaryExpr { left, right, .. }) = expr {
                open.extend([left, right].map(|side| (side.as_ref(), around + 1)));
            }
        }
        Ok(TreeNodeRecursion::Continue)
    })
    .unwrap();
    let inputs = plan.inputs().into_iter().map(depth);
    inputs.fold(deepest, usize::max)
}

/// Fails as soon as the parser nests a chain less deep than it is long: then the brackets can go.
#[tokio::test]
async fn canary() {
    let session = testing::plain();
    let sql = chain("OR", 200);
    let sql = format!("SELECT a FROM (VALUES (1)) t (a) WHERE {sql}");
    let state = session.state();
    let planned = large_stack(state.create_logical_plan(&sql)).await;
    assert_eq!(depth(&planned.unwrap()), 200);
    let bracketed = testing::plan(&session, &sql).await.unwrap();
    assert!(depth(&bracketed) < 2 * GROUP, "{}", depth(&bracketed));
}
