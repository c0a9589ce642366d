//! The program `halite`: how results look, how statements are run, and the line-edited shell.
//!
//! Behind the feature `shell`; a program that embeds Halite turns it off and uses the session alone.

pub mod command;
pub mod demo;
mod diagnose;
mod edit;
mod editor;
pub mod failure;
pub mod format;
pub mod interrupt;
mod keywords;
pub mod maintenance;
pub mod names;
pub mod output;
mod pager;
mod progress;
mod reach;
mod redirect;
pub mod report;
mod run_script;
pub mod runner;
pub mod sample;
pub mod script;
pub mod start;
pub mod state;
pub mod style;
mod suggest;
mod text;
pub mod threads;
pub mod transfer;
pub mod variables;
mod words;
