//! The program `halite`: how results look, how statements are run, and the line-edited shell.
//!
//! Behind the feature `shell`; a program that embeds Halite turns it off and uses the session alone.

pub mod command;
pub mod demo;
pub mod format;
pub mod maintenance;
pub mod repl;
pub mod report;
pub mod runner;
pub mod sample;
mod text;
