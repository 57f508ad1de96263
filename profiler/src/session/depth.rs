//! Requests in flight at moments that the clock picks, so that shares of samples are shares of time.

use super::{attach::Attached, directory::Directory, number_of};
use crate::capture::{Histogram, Slice};
use anyhow::Result;
use profiler_ebpf::{bucket::COUNT, probes::block::InFlight};
use std::collections::BTreeMap;

/// Samples since the last drain, by device number.
#[derive(Default)]
pub(super) struct Depths(BTreeMap<String, Histogram>);

impl Depths {
    pub(super) fn sample(&mut self, attached: &Attached, directory: &Directory) -> Result<()> {
        let table = attached.array::<InFlight>("IN_FLIGHT")?;
        for (device, _) in directory.disks() {
            let requests = table.get(&device.slot, 0)?.0.requests();
            let samples = self.0.entry(number_of(device.dev));
            let samples = samples.or_insert_with(|| Histogram::new(&COUNT));
            samples.add(requests);
        }
        Ok(())
    }

    pub(super) fn drain(&mut self, slice: &mut Slice) {
        for (number, samples) in std::mem::take(&mut self.0) {
            if let Some(device) = slice.devices.get_mut(&number) {
                device.in_flight_sampled = Some(samples);
            }
        }
    }
}
