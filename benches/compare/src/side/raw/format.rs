//! Keys and values by hand: the bytes that Halite stores for these tables, written and read with fixed offsets by code
//! that knows no other table. That they are the same bytes is checked before anything is loaded.

use ::halite::store::Chunk;
use anyhow::{Context, Result, ensure};
use arrow::array::{AsArray, RecordBatch};
use arrow::datatypes::{Float64Type, Int64Type, TimestampMillisecondType};

/// What a value of a large table begins with: its format, the width of its ends, and a code for each of six columns.
const HEADER: [u8; 7] = [1, 0, 6, 0, 0x00, 0x57, 0x75];
/// Where `user_id` stands in it.
const USER: usize = HEADER.len();
const USAGE: usize = USER + 8;
/// Where the ends of the texts stand, one byte each.
const ENDS: usize = USAGE + 8;
const TEXTS: usize = ENDS + 2;

/// Where the time stands in a value of `wanted`, behind a header for three columns.
const WANTED_STAMP: usize = 6;
const WANTED_HOST: usize = WANTED_STAMP + 8 + 1;

/// Bytes of a time in a key.
const STAMP_BYTES: usize = 8;
/// What ends a host.
const HOST_END: [u8; 2] = [0, 1];

/// The time in a key.
pub fn key_stamp(stamp: i64) -> [u8; STAMP_BYTES] {
    (stamp ^ i64::MIN).cast_unsigned().to_be_bytes()
}

/// The beginning of the keys of a host in `cpu`.
pub fn host_prefix(host: &str) -> Vec<u8> {
    [host.as_bytes(), &HOST_END].concat()
}

/// A key of `cpu`.
pub fn cpu_key(host: &str, stamp: i64) -> Vec<u8> {
    let mut key = Vec::with_capacity(host.len() + HOST_END.len() + STAMP_BYTES);
    key.extend_from_slice(host.as_bytes());
    key.extend_from_slice(&HOST_END);
    key.extend_from_slice(&key_stamp(stamp));
    key
}

fn number(bytes: &[u8]) -> [u8; 8] {
    bytes.try_into().unwrap_or_default()
}

fn stamp_of(bytes: &[u8]) -> i64 {
    u64::from_be_bytes(number(bytes)).cast_signed() ^ i64::MIN
}

fn text(bytes: &[u8]) -> Result<&str> {
    Ok(std::str::from_utf8(bytes)?)
}

fn host_of(field: &[u8]) -> Result<&str> {
    text(&field[..field.len() - HOST_END.len()])
}

/// Host and time of a key of `cpu`.
pub fn cpu_key_of(key: &[u8]) -> Result<(&str, i64)> {
    let (host, stamp) = key.split_at(key.len() - STAMP_BYTES);
    Ok((host_of(host)?, stamp_of(stamp)))
}

/// Time and host of a key of `by_time`.
pub fn time_key_of(key: &[u8]) -> Result<(i64, &str)> {
    let (stamp, host) = key[1..].split_at(STAMP_BYTES);
    Ok((stamp_of(stamp), host_of(host)?))
}

/// Host and time of a value of `wanted`.
pub fn wanted_of(value: &[u8]) -> Result<(&str, i64)> {
    let stamp = i64::from_le_bytes(number(&value[WANTED_STAMP..WANTED_STAMP + 8]));
    Ok((text(&value[WANTED_HOST..])?, stamp))
}

pub fn user(value: &[u8]) -> i64 {
    i64::from_le_bytes(number(&value[USER..USAGE]))
}

pub fn usage(value: &[u8]) -> f64 {
    f64::from_le_bytes(number(&value[USAGE..ENDS]))
}

pub fn kind(value: &[u8]) -> Result<&str> {
    text(&value[TEXTS..TEXTS + usize::from(value[ENDS])])
}

pub fn note(value: &[u8]) -> Result<&str> {
    text(&value[TEXTS + usize::from(value[ENDS])..])
}

/// The entries of `cpu` for these rows.
pub fn cpu_entries(rows: &RecordBatch) -> Result<Chunk> {
    let texts = |name| {
        rows.column_by_name(name)
            .and_then(|array| array.as_string_opt::<i32>())
    };
    let hosts = texts("host").context("no host")?;
    let (kinds, notes) = (
        texts("kind").context("no kind")?,
        texts("note").context("no note")?,
    );
    let stamps = rows
        .column(1)
        .as_primitive::<TimestampMillisecondType>()
        .values();
    let users = rows.column(3).as_primitive::<Int64Type>().values();
    let usages = rows.column(4).as_primitive::<Float64Type>().values();
    let (mut entries, mut value) = (Chunk::new(), Vec::new());
    for row in 0..rows.num_rows() {
        let (kind, note) = (kinds.value(row), notes.value(row));
        let ends = [kind.len(), kind.len() + note.len()].map(u8::try_from);
        value.clear();
        value.extend_from_slice(&HEADER);
        value.extend_from_slice(&users[row].to_le_bytes());
        value.extend_from_slice(&usages[row].to_le_bytes());
        value.extend_from_slice(&[ends[0]?, ends[1]?]);
        value.extend_from_slice(kind.as_bytes());
        value.extend_from_slice(note.as_bytes());
        entries.push(&cpu_key(hosts.value(row), stamps[row]), &value);
    }
    Ok(entries)
}

/// Fails unless the entries made by hand are Halite's.
pub fn check(by_hand: &Chunk, halites: &Chunk) -> Result<()> {
    ensure!(by_hand.len() == halites.len(), "entries are missing");
    for ((key, value), halites) in by_hand.iter().zip(halites.iter()) {
        ensure!(
            (key, value) == halites,
            "Halite's bytes are not those made by hand: {halites:02x?}, not {key:02x?}, {value:02x?}"
        );
    }
    Ok(())
}
