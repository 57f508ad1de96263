//! A device's chapter: its latencies, its queue, its pictures.

use super::bars::{self, What};
use super::density::{self, Density};
use super::table::SpanRow;
use crate::capture::DeviceSlice;
use crate::report::json::shape::{DeviceJson, LayerJson};
use crate::units;

/// All that the page says about one device.
pub(super) struct DeviceView<'a> {
    pub(super) device: &'a DeviceJson,
    pub(super) about: String,
    pub(super) rows: Vec<SpanRow>,
    pub(super) not_measured: Vec<String>,
    pub(super) densities: Vec<DensityView>,
    pub(super) bars: Vec<BarsView>,
    pub(super) ops: Vec<OpView>,
    pub(super) waits: String,
    pub(super) queue: String,
    pub(super) balance: String,
    /// `ok`, `bad` or `unknown`.
    pub(super) balance_class: &'static str,
}

pub(super) struct BarsView {
    pub(super) title: &'static str,
    pub(super) ops: Vec<&'static str>,
    pub(super) svg: String,
}

pub(super) struct DensityView {
    pub(super) op: String,
    pub(super) n: String,
    pub(super) density: Density,
}

/// What is told of an op besides its latencies.
pub(super) struct OpView {
    pub(super) op: String,
    pub(super) rate: String,
    pub(super) throughput: String,
    pub(super) size: String,
    pub(super) depth: String,
    pub(super) merges: String,
    pub(super) pattern: String,
    pub(super) errors: String,
    pub(super) requeues: String,
}

pub(super) fn view<'a>(device: &'a DeviceJson, slice: &DeviceSlice) -> DeviceView<'a> {
    DeviceView {
        device,
        about: device.about(),
        rows: super::table::rows(device),
        not_measured: device.not_measured(),
        densities: densities(device, slice),
        bars: [
            ("Queue depth", What::Depth),
            ("Size", What::Size),
            ("Bios in a request", What::Bios),
        ]
        .into_iter()
        .filter_map(|(title, what)| {
            let (ops, svg) = bars::draw(&device.name, what, slice)?;
            Some(BarsView { title, ops, svg })
        })
        .collect(),
        ops: ops(device),
        waits: device.waits_words(),
        queue: device.queue.words(),
        balance: device.balance.words(),
        balance_class: match device.balance.holds() {
            Some(true) => "ok",
            Some(false) => "bad",
            None => "unknown",
        },
    }
}

fn densities(device: &DeviceJson, slice: &DeviceSlice) -> Vec<DensityView> {
    let axis = density::axis(slice);
    let one = |(op, counted): (&crate::capture::Op, &crate::capture::OpSlice)| {
        let name = format!("{} {}", device.name, op.name());
        Some(DensityView {
            op: op.name().to_owned(),
            n: units::count(counted.completed),
            density: density::draw(&name, counted, &axis)?,
        })
    };
    slice.ops.iter().filter_map(one).collect()
}

fn ops(device: &DeviceJson) -> Vec<OpView> {
    let unknown = || "unknown".to_owned();
    device
        .ops
        .iter()
        .map(|(op, told)| OpView {
            op: op.name().to_owned(),
            rate: told.per_second.map_or_else(unknown, units::rate),
            throughput: told
                .bytes_per_second
                .map_or_else(unknown, units::throughput),
            size: told.size_bytes.words(units::bytes),
            depth: told.depth.words(units::short),
            merges: told.merges.words(),
            pattern: told.pattern(),
            errors: units::count(told.errors),
            requeues: units::count(told.requeues),
        })
        .collect()
}

/// The stack of devices, a row of boxes for each level.
pub(super) fn levels(device: &DeviceJson) -> Vec<Vec<&LayerJson>> {
    let mut levels: Vec<Vec<&LayerJson>> = Vec::new();
    for layer in &device.stack {
        match levels.last_mut() {
            Some(level) if level[0].level == layer.level => level.push(layer),
            _ => levels.push(vec![layer]),
        }
    }
    levels
}
