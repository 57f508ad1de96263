//! The columns of iostat, by name: what each means and in which unit.

use super::amounts::number;
use super::model::iostat::IostatDevice;

/// A number, with whether a suffix made it bytes: `1.2M` is 1,258,291 and true, `4.6%` is 4.6.
pub(super) fn number_or_unit(word: &str) -> Option<(f64, bool)> {
    let word = word.trim_end_matches('%');
    let unit = match word.chars().last()? {
        'k' | 'K' => 1024.0,
        'M' => 1_048_576.0,
        'G' => 1_073_741_824.0,
        'T' => 1_099_511_627_776.0,
        'B' => 1.0,
        _ => return Some((number(word)?, false)).filter(|(n, _)| *n >= 0.0),
    };
    let amount = number(&word[..word.len() - 1]).filter(|n| *n >= 0.0)?;
    Some((amount * unit, true))
}

/// The name of the column that has the same meaning in bytes.
pub(super) fn in_bytes(column: &str) -> String {
    match column {
        "rareq-sz" | "wareq-sz" | "dareq-sz" | "areq-sz" => format!("{column}-bytes"),
        _ => column
            .replacen("kB", "B", 1)
            .replacen("MB", "B", 1)
            .replacen("sec", "B", 1)
            .replacen("Blk", "B", 1),
    }
}

/// Puts a column's value in its place; false: this name is not known. kB are KiB, MB are MiB, and a
/// sector or block has 512 bytes.
pub(super) fn fill(device: &mut IostatDevice, column: &str, value: f64) -> bool {
    const MS: f64 = 1e6;
    let (stem, unit) = unit_of(column);
    let bytes = value * unit;
    let (place, value) = match stem {
        "tps" => (&mut device.transfers_per_s, value),
        "r/s" => (&mut device.reads_per_s, value),
        "w/s" => (&mut device.writes_per_s, value),
        "d/s" => (&mut device.discards_per_s, value),
        "f/s" => (&mut device.flushes_per_s, value),
        "r?/s" | "?_read/s" => (&mut device.read_bytes_per_s, bytes),
        "w?/s" | "?_wrtn/s" => (&mut device.write_bytes_per_s, bytes),
        "d?/s" | "?_dscd/s" => (&mut device.discard_bytes_per_s, bytes),
        "?_read" => (&mut device.read_bytes, bytes),
        "?_wrtn" => (&mut device.write_bytes, bytes),
        "?_dscd" => (&mut device.discard_bytes, bytes),
        "rrqm/s" => (&mut device.reads_merged_per_s, value),
        "wrqm/s" => (&mut device.writes_merged_per_s, value),
        "drqm/s" => (&mut device.discards_merged_per_s, value),
        "%rrqm" => (&mut device.reads_merged_percent, value),
        "%wrqm" => (&mut device.writes_merged_percent, value),
        "%drqm" => (&mut device.discards_merged_percent, value),
        "await" => (&mut device.await_ns, value * MS),
        "r_await" => (&mut device.read_await_ns, value * MS),
        "w_await" => (&mut device.write_await_ns, value * MS),
        "d_await" => (&mut device.discard_await_ns, value * MS),
        "f_await" => (&mut device.flush_await_ns, value * MS),
        "avgrq-sz" => (&mut device.request_bytes, value * 512.0),
        "areq-sz" => (&mut device.request_bytes, value * 1024.0),
        "areq-sz-bytes" => (&mut device.request_bytes, value),
        "rareq-sz" => (&mut device.read_request_bytes, value * 1024.0),
        "wareq-sz" => (&mut device.write_request_bytes, value * 1024.0),
        "dareq-sz" => (&mut device.discard_request_bytes, value * 1024.0),
        "rareq-sz-bytes" => (&mut device.read_request_bytes, value),
        "wareq-sz-bytes" => (&mut device.write_request_bytes, value),
        "dareq-sz-bytes" => (&mut device.discard_request_bytes, value),
        "avgqu-sz" | "aqu-sz" => (&mut device.queue_depth, value),
        "%util" | "util" => (&mut device.util_percent, value),
        _ => return false,
    };
    *place = Some(value);
    true
}

/// `rkB/s` is `r?/s` with 1024 bytes.
fn unit_of(column: &str) -> (&str, f64) {
    let stems = [
        "r?/s", "w?/s", "d?/s", "?_read/s", "?_wrtn/s", "?_dscd/s", "?_read", "?_wrtn", "?_dscd",
    ];
    let units = [
        ("kB", 1024.0),
        ("MB", 1_048_576.0),
        ("GB", 1_073_741_824.0),
        ("sec", 512.0),
        ("Blk", 512.0),
        ("B", 1.0),
    ];
    for stem in stems {
        let (before, after) = stem.split_once('?').unwrap_or((stem, ""));
        let inner = column
            .strip_prefix(before)
            .and_then(|rest| rest.strip_suffix(after));
        let unit = units.iter().find(|(name, _)| inner == Some(*name));
        if let Some((_, unit)) = unit {
            return (stem, *unit);
        }
    }
    (column, 1.0)
}

/// An op that did nothing has no latency and no size: iostat prints 0.00 there.
pub(super) fn settle(device: &mut IostatDevice) {
    let idle = |rate: Option<f64>| rate == Some(0.0);
    let nothing = |value: &mut Option<f64>| *value = value.filter(|n| *n != 0.0);
    if idle(device.reads_per_s) {
        nothing(&mut device.read_await_ns);
        nothing(&mut device.read_request_bytes);
    }
    if idle(device.writes_per_s) {
        nothing(&mut device.write_await_ns);
        nothing(&mut device.write_request_bytes);
    }
    if idle(device.discards_per_s) {
        nothing(&mut device.discard_await_ns);
        nothing(&mut device.discard_request_bytes);
    }
    if idle(device.flushes_per_s) {
        nothing(&mut device.flush_await_ns);
    }
    if idle(device.reads_per_s) && idle(device.writes_per_s) {
        nothing(&mut device.await_ns);
        nothing(&mut device.request_bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_go_by_the_columns_name() {
        let mut device = IostatDevice::default();
        for (column, value) in [("rMB/s", 0.15), ("wkB/s", 2.0), ("dsec/s", 4.0)] {
            assert!(fill(&mut device, column, value));
        }
        assert_eq!(device.read_bytes_per_s, Some(0.15 * 1_048_576.0));
        assert_eq!(device.write_bytes_per_s, Some(2048.0));
        assert_eq!(device.discard_bytes_per_s, Some(2048.0));
        assert!(!fill(&mut device, "svctm", 1.0));
    }

    #[test]
    fn a_suffix_is_a_unit_and_a_percent_sign_is_none() {
        assert_eq!(number_or_unit("1.5k"), Some((1536.0, true)));
        assert_eq!(number_or_unit("4,6%"), Some((4.6, false)));
        assert_eq!(number_or_unit("x"), None);
    }
}
