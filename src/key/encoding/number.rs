//! Numbers, dates, timestamps and truth values: fields of fixed width.
