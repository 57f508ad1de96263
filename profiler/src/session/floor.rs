//! The cheapest programs there can be, attached for the bench.

use super::object;
use crate::kernel::{btf::Btf, layout, placeholders};
use anyhow::{Context as _, Result};
use aya::{Ebpf, EbpfLoader, programs::BtfTracePoint};
use profiler_ebpf::floor::PROGRAMS;

/// Attached until dropped.
pub struct Floor {
    _ebpf: Ebpf,
}

impl Floor {
    pub fn attach() -> Result<Self> {
        let object = object::embedded().context("this binary was built without probes")?;
        let (values, _) = layout::of_kernel(&Btf::of_running_kernel()?);
        let btf = aya::Btf::from_sys_fs().context("reading the kernel's BTF")?;
        let object = placeholders::fill(object, &values)?;
        let mut ebpf = EbpfLoader::new().btf(Some(&btf)).load(object.bytes())?;
        for (tracepoint, name) in PROGRAMS {
            let program = ebpf.program_mut(name);
            let program = program.with_context(|| format!("the object has no program {name}"))?;
            let program: &mut BtfTracePoint = program.try_into()?;
            program.load(tracepoint, &btf)?;
            program.attach()?;
        }
        Ok(Self { _ebpf: ebpf })
    }
}
