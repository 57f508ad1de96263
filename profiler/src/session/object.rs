//! The probes' object file, if this binary was built with it.

#[cfg(iosage_probes)]
static OBJECT: &[u8] = aya::include_bytes_aligned!(env!("IOSAGE_PROBES"));

/// The object file; `None`: built without probes.
pub fn embedded() -> Option<&'static [u8]> {
    #[cfg(iosage_probes)]
    return Some(OBJECT);
    #[cfg(not(iosage_probes))]
    None
}
