//! Several files, and packed ones.

use std::fs;
use std::io::Write;

use futures::{StreamExt, TryStreamExt, stream};
use tempfile::TempDir;

use super::super::super::tests::stored;
use super::super::super::{TableWriter, WriteSettings};
use super::super::copy_from;
use super::super::tests::people;
use super::*;
use crate::error::ErrorKind;

fn gzip(text: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

fn zstd_of(text: &[u8]) -> Vec<u8> {
    zstd::stream::encode_all(text, 1).unwrap()
}

/// One stream of bzip2 or xz.
fn packed(by: FileCompressionType, text: &[u8]) -> Vec<u8> {
    let text = text.to_vec();
    let bytes = stream::once(async move { Ok(text.into()) }).boxed();
    let packed = by.convert_to_compress_stream(bytes).unwrap();
    let chunks: Vec<_> = runtime().block_on(packed.try_collect()).unwrap();
    chunks.concat()
}

fn bzip2(text: &[u8]) -> Vec<u8> {
    packed(FileCompressionType::BZIP2, text)
}

fn xz(text: &[u8]) -> Vec<u8> {
    packed(FileCompressionType::XZ, text)
}

fn runtime() -> tokio::runtime::Runtime {
    let mut builder = tokio::runtime::Builder::new_current_thread();
    builder.build().unwrap()
}

fn directory(files: &[(&str, Vec<u8>)]) -> TempDir {
    let directory = TempDir::new().unwrap();
    for (name, bytes) in files {
        let path = directory.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
    directory
}

/// Copies what the pattern names in the directory; errors with `DIR` in place of its path.
fn copy(
    writer: &TableWriter,
    directory: &TempDir,
    pattern: &str,
    options: &CopyOptions,
) -> Result<u64, (ErrorKind, String)> {
    let root = directory.path().to_str().unwrap();
    let copied = runtime().block_on(copy_from(
        std::sync::Arc::new(writer.clone()),
        format!("{root}/{pattern}"),
        options.clone(),
        Vec::new(),
        WriteSettings::default(),
        Progress::default(),
    ));
    copied
        .map(|copied| copied.rows)
        .map_err(|error| (error.kind(), error.to_string().replace(root, "DIR")))
}

fn with(compression: FileCompression) -> CopyOptions {
    CopyOptions {
        compression: Some(compression),
        ..CopyOptions::default()
    }
}

#[test]
fn a_pattern_is_one_statement_over_files_in_the_order_of_their_names() {
    let directory = directory(&[
        ("b.csv", b"3,c,1\n".to_vec()),
        ("a.csv", b"1,a,1\n2,b,1\n".to_vec()),
        ("c.csv.gz", gzip(b"4,d,1\n")),
        ("d.csv.zst", zstd_of(b"5,e,1\n")),
        (".hidden.csv", b"wrong\n".to_vec()),
        ("sub/e.csv", b"6,f,1\n".to_vec()),
        ("sub.csv/f.txt", b"wrong".to_vec()),
        ("[x].csv", b"7,g,1\n".to_vec()),
    ]);
    let none = CopyOptions::default();
    for (pattern, rows) in [
        ("?.csv", 3),
        ("[ab].csv", 3),
        ("*.csv", 4),
        ("?.csv*", 5),
        ("**/e.csv", 1),
        ("**/?.csv", 4),
        ("[x].csv", 1),
    ] {
        let writer = people();
        assert_eq!(
            copy(&writer, &directory, pattern, &none),
            Ok(rows),
            "{pattern}"
        );
        assert_eq!(stored(&writer).num_rows() as u64, rows, "{pattern}");
    }
    let cases = [
        (
            "x*.csv",
            ErrorKind::InvalidInput,
            "no file matches `DIR/x*.csv`",
        ),
        ("su*", ErrorKind::InvalidInput, "no file matches `DIR/su*`"),
    ];
    for (pattern, kind, message) in cases {
        let error = copy(&people(), &directory, pattern, &none).unwrap_err();
        assert_eq!(error, (kind, message.to_owned()));
    }
    let error = copy(&people(), &directory, "a[.csv", &none).unwrap_err().1;
    assert!(
        error.starts_with("`DIR/a[.csv` is no pattern of files: "),
        "{error}"
    );
    let error = copy(&people(), &directory, "sub.csv", &none).unwrap_err().1;
    assert_eq!(error, "`DIR/sub.csv` cannot be opened: it is a directory");
}

#[test]
fn what_is_wrong_in_one_file_keeps_all_out() {
    let directory = directory(&[
        ("a1.csv", b"1,a,1\n2,b,1\n".to_vec()),
        ("a2.csv", b"3,a,1\n\nx,b,1\n".to_vec()),
        ("b1.csv", b"1,a,1\n2,b,1\n".to_vec()),
        ("b2.csv.gz", gzip(b"3,a,1\n2,b,1\n")),
        ("c1.csv", b"1,a,1\n".to_vec()),
        ("c2.csv", b"9,a,1\n".to_vec()),
        ("d1.csv", b"id,name,size\n4,d,1\n".to_vec()),
        ("d2.csv", b"id,nome,size\n5,d,1\n".to_vec()),
    ]);
    let writer = people();
    copy(&writer, &directory, "c2.csv", &CopyOptions::default()).unwrap();
    let headers = CopyOptions {
        header: Some(true),
        ..CopyOptions::default()
    };
    let none = CopyOptions::default();
    for (pattern, options, expected) in [
        (
            "a*",
            &none,
            "DIR/a2.csv line 3: table `t`: column `id`: 'x' is not of type INT",
        ),
        (
            "b*",
            &none,
            "DIR/b2.csv.gz line 2: table `t`: (id = 2) is given twice, first in DIR/b1.csv line 2; its row key is /2",
        ),
        (
            "c*",
            &none,
            "DIR/c2.csv line 1: table `t`: a row with (id = 9) is there already, under the row key /9",
        ),
        (
            "d*",
            &headers,
            "DIR/d2.csv line 1: the file has a column `nome` that table `t` does not have; its columns are `id`, `name`, `size`",
        ),
    ] {
        let error = copy(&writer, &directory, pattern, options).unwrap_err().1;
        assert_eq!(error, expected);
        assert_eq!(stored(&writer).num_rows(), 1, "{pattern}");
    }
}

#[test]
#[expect(clippy::too_many_lines, reason = "one table of cases")]
fn packed_files_are_unpacked_by_name_or_option() {
    let text = b"1,a,1\n2,b,1\n";
    let directory = directory(&[
        ("a.csv.gz", gzip(text)),
        ("a.csv.zst", zstd_of(text)),
        ("two.csv.gz", [gzip(b"1,a,1\n2,"), gzip(b"b,1\n")].concat()),
        (
            "two.csv.zst",
            [zstd_of(b"1,a,1\n2,"), zstd_of(b"b,1\n")].concat(),
        ),
        ("a.csv.bz2", bzip2(text)),
        ("a.csv.xz", xz(text)),
        (
            "two.csv.bz2",
            [bzip2(b"1,a,1\n2,"), bzip2(b"b,1\n")].concat(),
        ),
        ("two.csv.xz", [xz(b"1,a,1\n2,"), xz(b"b,1\n")].concat()),
        ("nothing.csv.bz2", bzip2(b"")),
        ("nothing.csv.xz", xz(b"")),
        ("bzip2.csv", bzip2(text)),
        ("xz.csv", xz(text)),
        ("plain.csv.xz", text.to_vec()),
        ("BZh.csv", b"1,BZh9,1\n".to_vec()),
        ("mark.csv.gz", gzip(b"\xef\xbb\xbf1,a,1\n2,b,1\n")),
        ("gzip.csv", gzip(text)),
        ("zstd.csv", zstd_of(text)),
        ("plain.csv.gz", text.to_vec()),
        ("wrong.csv.gz", zstd_of(text)),
        ("empty.csv.gz", Vec::new()),
        ("nothing.csv.gz", gzip(b"")),
        ("a.parquet.gz", gzip(b"PAR1")),
    ]);
    let none = CopyOptions::default();
    for (name, options, rows) in [
        ("a.csv.gz", &none, 2),
        ("a.csv.zst", &none, 2),
        ("two.csv.gz", &none, 2),
        ("two.csv.zst", &none, 2),
        ("mark.csv.gz", &none, 2),
        ("a.csv.bz2", &none, 2),
        ("a.csv.xz", &none, 2),
        ("two.csv.bz2", &none, 2),
        ("two.csv.xz", &none, 2),
        ("nothing.csv.bz2", &none, 0),
        ("nothing.csv.xz", &none, 0),
        ("bzip2.csv", &with(FileCompression::Bzip2), 2),
        ("xz.csv", &with(FileCompression::Xz), 2),
        ("BZh.csv", &none, 1),
        ("nothing.csv.gz", &none, 0),
        ("gzip.csv", &with(FileCompression::Gzip), 2),
        ("zstd.csv", &with(FileCompression::Zstd), 2),
        ("plain.csv.gz", &with(FileCompression::None), 2),
        ("wrong.csv.gz", &with(FileCompression::Zstd), 2),
    ] {
        assert_eq!(
            copy(&people(), &directory, name, options),
            Ok(rows),
            "{name}"
        );
    }
    for (name, options, expected) in [
        (
            "gzip.csv",
            &none,
            "`DIR/gzip.csv` is compressed by gzip: say COMPRESSION gzip",
        ),
        (
            "zstd.csv",
            &none,
            "`DIR/zstd.csv` is compressed by zstd: say COMPRESSION zstd",
        ),
        (
            "bzip2.csv",
            &none,
            "`DIR/bzip2.csv` is compressed by bzip2: say COMPRESSION bzip2",
        ),
        (
            "plain.csv.xz",
            &none,
            "`DIR/plain.csv.xz` is not compressed by xz: if it is not compressed, say COMPRESSION none",
        ),
        (
            "xz.csv",
            &with(FileCompression::Bzip2),
            "`DIR/xz.csv` is not compressed by bzip2, it is by xz: say COMPRESSION xz",
        ),
        (
            "plain.csv.gz",
            &none,
            "`DIR/plain.csv.gz` is not compressed by gzip: if it is not compressed, say COMPRESSION none",
        ),
        (
            "empty.csv.gz",
            &none,
            "`DIR/empty.csv.gz` is not compressed by gzip: if it is not compressed, say COMPRESSION none",
        ),
        (
            "wrong.csv.gz",
            &none,
            "`DIR/wrong.csv.gz` is not compressed by gzip, it is by zstd: say COMPRESSION zstd",
        ),
        (
            "a.csv.gz",
            &with(FileCompression::Snappy),
            "COMPRESSION snappy is not possible for csv files; none, gzip, zstd, bzip2 and xz are",
        ),
        (
            "a.parquet.gz",
            &none,
            "`DIR/a.parquet.gz`: a parquet file is compressed within and says so itself; one that gzip has packed is \
             not read",
        ),
    ] {
        assert_eq!(
            copy(&people(), &directory, name, options).unwrap_err().1,
            expected
        );
    }
}

/// Whatever is cut off or changed, it is an error that names the file, and nothing is loaded.
#[test]
fn a_packed_file_that_is_cut_short_or_damaged_is_refused() {
    let text: String = (0..3_000)
        .map(|id| format!("{id},n{},{id}\n", id % 7))
        .collect();
    let text = text.as_bytes();
    for (name, bytes) in [
        ("a.csv.gz", gzip(text)),
        ("a.csv.zst", zstd_of(text)),
        ("a.csv.bz2", bzip2(text)),
        ("a.csv.xz", xz(text)),
    ] {
        for part in 1..20 {
            let mut cut = bytes.clone();
            cut.truncate((bytes.len() - 1) * part / 19);
            if cut.len() < 12 {
                continue;
            }
            let directory = directory(&[(name, cut)]);
            let writer = people();
            let (kind, error) =
                copy(&writer, &directory, name, &CopyOptions::default()).unwrap_err();
            assert_eq!(kind, ErrorKind::InvalidInput);
            assert!(
                error.starts_with(&format!("`DIR/{name}` is cut short: ")),
                "{part}: {error}"
            );
            assert_eq!(stored(&writer).num_rows(), 0);
        }
    }
    let mut damaged = gzip_of_lines();
    let middle = damaged.len() / 2;
    damaged[middle] ^= 0xff;
    let directory = directory(&[("a.csv.gz", damaged)]);
    let error = copy(&people(), &directory, "a.csv.gz", &CopyOptions::default())
        .unwrap_err()
        .1;
    assert!(error.contains("DIR/a.csv.gz"), "{error}");
}

fn gzip_of_lines() -> Vec<u8> {
    let text: String = (0..3_000).map(|id| format!("{id},n,{id}\n")).collect();
    gzip(text.as_bytes())
}

/// Whatever packs it, a row that is longer than allowed is refused with file and line, long before it ends.
#[test]
fn a_row_that_is_packed_has_its_limit() {
    let begin = b"1,a,1\n2,";
    let piece = vec![b'x'; 100_000];
    for (name, pack) in [
        ("a.csv.gz", gzip as fn(&[u8]) -> Vec<u8>),
        ("a.csv.zst", zstd_of),
        ("a.csv.bz2", bzip2),
        ("a.csv.xz", xz),
    ] {
        // What stands behind the limit is damaged, and not read.
        let many = pack(&piece).repeat(40);
        let bytes = [pack(begin), many, b"damaged".to_vec()].concat();
        let directory = directory(&[(name, bytes)]);
        let limited = CopyOptions {
            row_bytes: Some(1_000_000),
            ..CopyOptions::default()
        };
        let (kind, error) = copy(&people(), &directory, name, &limited).unwrap_err();
        assert_eq!(kind, ErrorKind::InvalidInput, "{error}");
        let expected = format!(
            "DIR/{name} line 2: a row of more than 1000000 bytes, which is what halite.row_bytes allows"
        );
        assert_eq!(error, expected);
    }
}
