//! Reading Rust source without a compiler: enough of the language to find paths and functions in formatted code.

/// The text with comments, strings and characters blanked; every line stays where it was.
pub fn mask(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut masked = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let end = hidden_end(bytes, at);
        if end > at {
            masked.extend(bytes[at..end].iter().map(|&byte| blank(byte)));
            at = end;
        } else {
            masked.push(bytes[at]);
            at += 1;
        }
    }
    String::from_utf8(masked).unwrap()
}

fn blank(byte: u8) -> u8 {
    if byte == b'\n' { b'\n' } else { b' ' }
}

/// Where the comment or literal that starts at `at` ends; `at` itself where none starts.
fn hidden_end(bytes: &[u8], at: usize) -> usize {
    let rest = &bytes[at..];
    let in_word = at > 0 && is_word(bytes[at - 1]);
    match rest {
        [b'/', b'/', ..] => at + position(rest, b"\n").unwrap_or(rest.len()),
        [b'/', b'*', ..] => at + block_comment_length(rest),
        [b'"', ..] => at + string_length(rest),
        [b'r', b'"' | b'#', ..] if !in_word => at + raw_string_length(rest),
        [b'b', b'r', b'"' | b'#', ..] if !in_word => match raw_string_length(&rest[1..]) {
            0 => at,
            length => at + 1 + length,
        },
        [b'\'', ..] => at + character_length(rest),
        _ => at,
    }
}

fn position(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    bytes.windows(wanted.len()).position(|part| part == wanted)
}

fn block_comment_length(bytes: &[u8]) -> usize {
    let (mut depth, mut at) = (0, 0);
    while at < bytes.len() {
        match &bytes[at..] {
            [b'/', b'*', ..] => (depth, at) = (depth + 1, at + 2),
            [b'*', b'/', ..] if depth == 1 => return at + 2,
            [b'*', b'/', ..] => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
    }
    bytes.len()
}

fn string_length(bytes: &[u8]) -> usize {
    let mut at = 1;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 2,
            b'"' => return at + 1,
            _ => at += 1,
        }
    }
    bytes.len()
}

/// The length of `r"…"` or `r#"…"#`; 0 where it is a raw identifier.
fn raw_string_length(bytes: &[u8]) -> usize {
    let hashes = bytes[1..].iter().take_while(|&&byte| byte == b'#').count();
    if bytes.get(1 + hashes) != Some(&b'"') {
        return 0;
    }
    let end = [b"\"".as_slice(), &b"#".repeat(hashes)].concat();
    let body = &bytes[2 + hashes..];
    2 + hashes + position(body, &end).map_or(body.len(), |at| at + end.len())
}

/// The length of a character literal; 0 where the quote starts a lifetime.
fn character_length(bytes: &[u8]) -> usize {
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(16)]);
    let mut characters = text.char_indices().skip(1);
    match characters.next() {
        Some((_, '\\')) => position(&bytes[3..], b"'").map_or(0, |at| at + 4),
        Some(_) => match characters.next() {
            Some((at, '\'')) => at + 1,
            _ => 0,
        },
        None => 0,
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// The masked text without what is compiled for tests alone.
pub fn code_of(text: &str) -> String {
    let masked = mask(text);
    without_tests(&masked, masked.clone())
}

/// The text, with its strings and comments, without what is compiled for tests alone.
pub fn production_of(text: &str) -> String {
    without_tests(&mask(text), text.to_owned())
}

/// What marks an item that is compiled for tests alone; those of other packages ask for the second by a feature.
const FOR_TESTS: [&str; 2] = ["#[cfg(test)]", "#[cfg(any(test, feature = \"testing\"))]"];

/// `text` with the items blanked that are marked for tests in `masked`, where every byte has the same place.
fn without_tests(masked: &str, text: String) -> String {
    let (code, mut text) = (masked.as_bytes(), text.into_bytes());
    for attribute in FOR_TESTS.map(mask) {
        let mut from = 0;
        while let Some(at) = position(&code[from..], attribute.as_bytes()) {
            let start = from + at;
            let end = item_end(code, start + attribute.len());
            for byte in &mut text[start..end] {
                *byte = blank(*byte);
            }
            from = end;
        }
    }
    String::from_utf8(text).unwrap()
}

/// Where the item that starts at `at` ends: behind its semicolon, its closing brace, or a field's comma.
fn item_end(code: &[u8], at: usize) -> usize {
    let (mut depth, mut function) = (0_usize, false);
    for (offset, byte) in code[at..].iter().enumerate() {
        let behind = at + offset + 1;
        function |= code[at..behind].ends_with(b"fn ");
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' => depth = depth.saturating_sub(1),
            b'}' if depth <= 1 => return behind,
            b'}' => depth -= 1,
            b';' if depth == 0 => return behind,
            b',' if depth == 0 && !function => return behind,
            _ => {}
        }
    }
    code.len()
}

/// Every path that starts with `prefix`, groups written out, with the position of its prefix.
pub fn paths_under(code: &str, prefix: &str) -> Vec<(usize, Vec<String>)> {
    let wanted: Vec<&str> = prefix.split("::").collect();
    let mut found = Vec::new();
    for (at, _) in code.match_indices(wanted[0]) {
        if !starts_path(code, at, wanted[0]) {
            continue;
        }
        let mut paths = Vec::new();
        expand(code.as_bytes(), at, &mut Vec::new(), &mut paths);
        let fitting = |path: &Vec<String>| wanted.iter().zip(path).all(|(a, b)| a == b);
        paths.retain(|path| path.len() >= wanted.len() && fitting(path));
        found.extend(paths.into_iter().map(|path| (at, path)));
    }
    found
}

/// Whether the word at `at` is a whole one, begins a path, and something of it follows.
fn starts_path(code: &str, at: usize, word: &str) -> bool {
    let before = code[..at].trim_end();
    let touching = code[..at].bytes().next_back();
    let after = code[at + word.len()..].trim_start();
    let inside = before
        .strip_suffix("::")
        .is_some_and(|outer| outer.ends_with(|last: char| last.is_alphanumeric() || last == '_'));
    let imported = after.starts_with(';') && before.ends_with("use");
    !touching.is_some_and(is_word) && !inside && (after.starts_with("::") || imported)
}

/// Reads the path at `at`, and all of a group, into `paths`; returns where it ends.
fn expand(code: &[u8], at: usize, prefix: &mut Vec<String>, paths: &mut Vec<Vec<String>>) -> usize {
    let at = skip_space(code, at);
    if code.get(at) == Some(&b'{') {
        return expand_group(code, at + 1, prefix, paths);
    }
    let length = code[at..]
        .iter()
        .take_while(|&&byte| is_word(byte) || byte == b'*')
        .count();
    if length == 0 {
        // A turbofish or a macro's variable: the path ends before it.
        paths.push(prefix.clone());
        return at;
    }
    let end = at + length;
    prefix.push(String::from_utf8_lossy(&code[at..end]).into_owned());
    let next = skip_space(code, end);
    let end = if code[next..].starts_with(b"::") {
        expand(code, next + 2, prefix, paths)
    } else {
        paths.push(prefix.clone());
        end
    };
    prefix.pop();
    end
}

fn expand_group(
    code: &[u8],
    mut at: usize,
    prefix: &mut Vec<String>,
    paths: &mut Vec<Vec<String>>,
) -> usize {
    loop {
        at = skip_space(code, at);
        if matches!(code.get(at), None | Some(b'}')) {
            return at + 1;
        }
        at = expand(code, at, prefix, paths);
        // Over `as name`, to the next element.
        let rest = code.get(at..).unwrap_or_default();
        at += rest
            .iter()
            .take_while(|&&byte| byte != b',' && byte != b'}')
            .count();
        at += usize::from(code.get(at) == Some(&b','));
    }
}

fn skip_space(code: &[u8], at: usize) -> usize {
    let rest = code.get(at..).unwrap_or_default();
    at + rest
        .iter()
        .take_while(|byte| byte.is_ascii_whitespace())
        .count()
}

/// How many `super::` lead from a file under `src/` to the root of the crate.
pub fn depth(file: &str) -> usize {
    let parts = file.split('/').count();
    if file.ends_with("/mod.rs") {
        parts - 1
    } else {
        parts
    }
}

/// The line of a position, counted from 1.
pub fn line_of(text: &str, at: usize) -> usize {
    text[..at].matches('\n').count() + 1
}

/// Every function with a body in masked, formatted code: its line, its name, how many lines it has.
pub fn function_lengths(code: &str) -> Vec<(usize, String, usize)> {
    let lines: Vec<&str> = code.lines().collect();
    let functions = lines.iter().enumerate().filter_map(|(first, line)| {
        let name = function_name(line)?;
        let length = function_length(&lines[first..])?;
        Some((first + 1, name, length))
    });
    functions.collect()
}

/// The name of the function whose signature starts on this line.
fn function_name(line: &str) -> Option<String> {
    let (before, after) = line.trim_start().split_once("fn ")?;
    let leading = |word: &str| {
        matches!(word, "pub" | "const" | "async" | "unsafe" | "extern") || word.starts_with("pub(")
    };
    if !before.split_whitespace().all(leading) {
        return None;
    }
    let name: String = after
        .chars()
        .take_while(|&letter| letter.is_alphanumeric() || letter == '_')
        .collect();
    (!name.is_empty()).then_some(name)
}

/// The lines from a signature to its closing brace, which formatted code indents like the signature.
fn function_length(lines: &[&str]) -> Option<usize> {
    let indent = lines[0].len() - lines[0].trim_start().len();
    let closing = format!("{}}}", " ".repeat(indent));
    let signature_end = lines
        .iter()
        .position(|line| line.trim_end().ends_with(['{', ';', '}']))?;
    if !lines[signature_end].trim_end().ends_with('{') {
        return Some(signature_end + 1);
    }
    let body = lines[signature_end + 1..]
        .iter()
        .position(|line| line.trim_end() == closing)?;
    Some(signature_end + body + 2)
}

#[test]
fn masking_hides_comments_and_literals_alone() {
    let cases = [
        ("a // b\nc", "a     \nc"),
        ("a /* b /* c */ d */ e", "a                   e"),
        (r#"f("a\"b", c)"#, "f(      , c)"),
        ("r#\"a\"b\"# c", "         c"),
        ("r#type c", "r#type c"),
        ("br\"a\" c", "      c"),
        ("'a' + '\\'' + '\\\\' + 'ä'", "    +      +      +     "),
        ("fn f<'a>(x: &'a str)", "fn f<'a>(x: &'a str)"),
    ];
    for (text, expected) in cases {
        assert_eq!(mask(text).trim_end(), expected.trim_end(), "{text}");
    }
}

#[test]
fn code_for_tests_is_left_out_and_nothing_else() {
    let cases = [
        ("#[cfg(test)]\nmod tests {\n a { b }\n}\nkept", 1),
        ("#[cfg(test)]\n#[path = \"x.rs\"]\nmod tests;\nkept", 1),
        ("#[cfg(test)]\nuse a::{b, c};\nkept", 1),
        (
            "#[cfg(any(test, feature = \"testing\"))]\nfn g() {}\nkept",
            1,
        ),
        (
            "#[cfg(test)]\npub fn f<A, B>(a: A, b: [B; 2]) -> u8 { g() }\nkept",
            1,
        ),
        (
            "struct A {\n#[cfg(test)]\nfault: Fault,\nkept: u8 }\nkept",
            2,
        ),
    ];
    for (text, kept) in cases {
        let code = code_of(text);
        assert_eq!(code.matches("kept").count(), kept, "{code}");
        let gone = ["tests", "fault", " b", "g()"];
        assert!(!gone.iter().any(|word| code.contains(word)), "{code}");
    }
}
