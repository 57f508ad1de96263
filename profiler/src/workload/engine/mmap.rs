//! I/O through a mapping of the file: the kernel reads and writes pages as they are touched.
//!
//! Pages are asked for with madvise(2) before they are touched, within the time of the I/O. That
//! does the work of the page faults, and where the device or the space behind a page fails it
//! returns an error; a bare touch would end the whole process with SIGBUS.

use super::buffer::Buffers;
use super::clock;
use super::course::Io;
use super::files::{self, Files, Open};
use super::serial::Serial;
use super::tally::Kind;
use crate::workload::Stop;
use crate::workload::plan::Job;
use crate::workload::spec::Way;
use rustix::io::Errno;
use rustix::mm::{Advice, MapFlags, MsyncFlags, ProtFlags, madvise, mmap, msync, munmap};
use std::ffi::c_void;

/// A mapped part of a file, from its first byte on.
struct Map {
    base: *mut c_void,
    length: usize,
}

/// The files of a thread, mapped, and its one buffer.
pub(super) struct Maps<'a> {
    files: &'a Files,
    maps: Vec<Map>,
    buffers: Buffers,
    page: usize,
}

impl<'a> Maps<'a> {
    pub(super) fn new(job: &Job, files: &'a Files) -> Result<Self, String> {
        let mut all = Self {
            files,
            maps: Vec::new(),
            buffers: Buffers::new(job, 1)?,
            page: rustix::param::page_size(),
        };
        let mut protection = ProtFlags::READ;
        if job.access.writes {
            protection |= ProtFlags::WRITE;
        }
        for (open, target) in files.0.iter().zip(&job.files) {
            let length = usize::try_from(target.length_bytes())
                .map_err(|_| format!("{} is too large to be mapped", open.path.display()))?;
            // SAFETY: a new mapping at an address of the kernel's choice; nothing else refers to it.
            let base = unsafe {
                mmap(
                    std::ptr::null_mut(),
                    length,
                    protection,
                    MapFlags::SHARED,
                    &open.fd,
                    0,
                )
            }
            .map_err(|error| files::failure(error, "mapping", &open.path, 0, 0))?;
            all.maps.push(Map { base, length });
        }
        Ok(all)
    }

    /// Has the kernel bring in the pages of a range; an error instead of a signal when it cannot.
    fn populate(&self, map: &Map, at: usize, length: usize, write: bool) -> rustix::io::Result<()> {
        let start = at - at % self.page;
        let advice = match write {
            true => Advice::LinuxPopulateWrite,
            false => Advice::LinuxPopulateRead,
        };
        // SAFETY: the range lies inside the mapping, whose content this does not change.
        unsafe { madvise(map.base.byte_add(start), at + length - start, advice) }
    }
}

impl Serial for Maps<'_> {
    #[inline]
    fn now(&mut self) -> u64 {
        clock::now()
    }

    fn sleep_until(&mut self, until: u64, stop: &Stop) -> u64 {
        clock::sleep_until(until, stop)
    }

    fn prepare(&mut self, io: &Io) {
        if io.way == Way::Write {
            let start = self.files.0[io.file].start;
            self.buffers
                .prepare(0, io.length as usize, start + io.offset);
        }
    }

    fn transfer(&mut self, io: &Io) -> Result<(), String> {
        let (open, map) = (&self.files.0[io.file], &self.maps[io.file]);
        if io.way == Way::Trim {
            return files::trim(open, io);
        }
        let at = (open.start + io.offset) as usize;
        let length = io.length as usize;
        if at + length > map.length {
            return Err(files::ended(open, io, at as u64));
        }
        let write = io.way == Way::Write;
        self.populate(map, at, length, write)
            .map_err(|error| failed(error, open, io, at as u64))?;
        let buffer = self.buffers.get(0, length).as_mut_ptr();
        // SAFETY: the range lies inside the mapping and the buffer, which do not overlap. Bytes of
        // the file may change while they are copied; any value is a valid byte.
        unsafe {
            let mapped = map.base.byte_add(at).cast::<u8>();
            match write {
                true => std::ptr::copy_nonoverlapping(buffer, mapped, length),
                false => std::ptr::copy_nonoverlapping(mapped, buffer, length),
            }
        }
        Ok(())
    }

    /// As fio does: the mapping is written back, which makes the file's data durable.
    fn sync(&mut self, _: Kind, file: usize) -> Result<(), String> {
        let (open, map) = (&self.files.0[file], &self.maps[file]);
        // SAFETY: the whole mapping, which is there until this is dropped.
        unsafe { msync(map.base, map.length, MsyncFlags::SYNC) }
            .map_err(|error| files::failure(error, "syncing", &open.path, 0, 0))
    }

    fn between(&mut self, job: &Job) -> Result<(), String> {
        self.files.between(job)
    }
}

fn failed(error: Errno, open: &Open, io: &Io, at: u64) -> String {
    let (doing, path) = (files::doing(io), open.path.display());
    let what = format!("{} bytes at offset {at} of {path}", io.length);
    match error {
        Errno::INVAL => {
            format!("EINVAL {doing} {what}: ioengine=mmap needs Linux 5.14 or newer; use psync")
        }
        Errno::FAULT => format!(
            "EIO {doing} {what}: the kernel could not bring the page in (the file has become shorter, the device failed or is full)"
        ),
        error => files::failure(error, doing, &open.path, at, io.length),
    }
}

impl Drop for Maps<'_> {
    fn drop(&mut self) {
        for map in &self.maps {
            // SAFETY: the mapping is this one's own, and nothing refers to it any more.
            let _ = unsafe { munmap(map.base, map.length) };
        }
    }
}
