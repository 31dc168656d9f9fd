//! What this process takes, under the names that every Prometheus client gives it: memory, open files, when it started.
//!
//! Read at scrape time from Linux' `/proc/self`; elsewhere only the start has a series. Invariant: what cannot be read has
//! no series, and is never told as 0.

use std::fs;

use prometheus::Gauge;
use prometheus::Opts;
use prometheus::core::Collector;
use prometheus::proto::MetricFamily;

use schema::time::At;

/// One family for each thing that can be read.
///
/// # Errors
/// When a gauge's definition is refused, which no input can bring about.
pub fn families(started: At) -> Result<Vec<MetricFamily>, prometheus::Error> {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let limits = fs::read_to_string("/proc/self/limits").unwrap_or_default();
    let open = fs::read_dir("/proc/self/fd").ok().map(Iterator::count);
    #[expect(
        clippy::cast_precision_loss,
        reason = "milliseconds since 1970 and counts of files are far below 2^52"
    )]
    let (started, open) = (started.0 as f64 / 1_000.0, open.map(|open| open as f64));
    let read = [
        (
            "process_start_time_seconds",
            "When the service started, in seconds since 1970.",
            Some(started),
        ),
        (
            "process_resident_memory_bytes",
            "Memory that the process holds.",
            resident(&status),
        ),
        ("process_open_fds", "Files and connections that are open.", open),
        (
            "process_max_fds",
            "Files and connections that may be open.",
            files_max(&limits),
        ),
    ];
    let mut families = Vec::new();
    for (name, help, value) in read {
        if let Some(value) = value {
            let gauge = Gauge::with_opts(Opts::new(name, help))?;
            gauge.set(value);
            families.extend(gauge.collect());
        }
    }
    Ok(families)
}

/// Bytes in `VmRSS:   12345 kB`.
fn resident(status: &str) -> Option<f64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kilobytes: f64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1_024.0)
}

/// The soft limit in `Max open files   1024   524288   files`; none where it is `unlimited`.
fn files_max(limits: &str) -> Option<f64> {
    let line = limits.lines().find_map(|line| line.strip_prefix("Max open files"))?;
    line.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::files_max;
    use super::resident;

    #[test]
    fn what_can_be_read_is_read_and_what_cannot_has_no_value() {
        assert_eq!(resident("Name:\tx\nVmRSS:\t    2048 kB\n"), Some(2_097_152.0));
        assert_eq!(resident("Name:\tx\n"), None);
        assert_eq!(resident("VmRSS:\t2048\n"), None);
        let limits = "Limit  Soft Limit  Hard Limit  Units\nMax open files            1024                 524288               files\n";
        assert_eq!(files_max(limits), Some(1_024.0));
        assert_eq!(files_max("Max open files   unlimited   unlimited   files"), None);
        assert_eq!(files_max(""), None);
    }
}
