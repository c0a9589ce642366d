//! scratch
#![allow(dead_code)]
mod condition;
mod constants;
mod functions;
mod oracle;
mod predicate_text;
mod predicates;
mod quiet;
mod random;
mod render;
mod values;
