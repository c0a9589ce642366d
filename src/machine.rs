//! What the machine has, or lets the process have.

use std::fs;
use std::path::Path;
use std::sync::OnceLock;

/// Where nothing is known.
const LIKELY: u64 = 4 << 30;

/// The memory of the machine, or of the container that the process is in, in bytes; 4 GiB where neither is known.
pub(crate) fn memory() -> u64 {
    static MEMORY: OnceLock<u64> = OnceLock::new();
    *MEMORY.get_or_init(|| {
        let limits = of_machine().into_iter().chain(of_container());
        limits.min().unwrap_or(LIKELY)
    })
}

/// The memory of the machine, where the system tells.
fn of_machine() -> Option<u64> {
    let text = fs::read_to_string("/proc/meminfo").ok()?;
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes << 10)
}

/// What the control groups of the process let it have: its own and those around it, of either version.
fn of_container() -> Option<u64> {
    let groups = fs::read_to_string("/proc/self/cgroup").ok()?;
    let limits = groups.lines().flat_map(|line| {
        let mut fields = line.splitn(3, ':').skip(1);
        let (kind, path) = (fields.next().unwrap_or(""), fields.next().unwrap_or(""));
        let (root, file) = match kind {
            "" => ("/sys/fs/cgroup", "memory.max"),
            kind if kind.split(',').any(|it| it == "memory") => {
                ("/sys/fs/cgroup/memory", "memory.limit_in_bytes")
            }
            _ => return Vec::new(),
        };
        let around = Path::new(path).ancestors();
        let limit = |group: &Path| {
            let group = group.strip_prefix("/").unwrap_or(group);
            let text = fs::read_to_string(Path::new(root).join(group).join(file)).ok()?;
            text.trim().parse::<u64>().ok()
        };
        around.filter_map(limit).collect()
    });
    limits.min()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_has_no_more_memory_than_the_machine() {
        assert!(memory() > 128 << 20, "{}", memory());
        assert!(of_machine().is_none_or(|all| memory() <= all));
    }
}
