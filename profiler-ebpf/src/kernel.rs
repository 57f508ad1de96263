//! Every kernel field that a probe reads, declared once.
//!
//! Rust has no CO-RE relocations, so the programs carry placeholders ([`crate::placeholder`]): user
//! space looks each offset up in the running kernel's BTF and writes it into the instructions
//! before loading. A field costs one load, the verifier checks it against the struct, and it prunes
//! branches on absent fields.

/// A field whose byte offset user space writes before loading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// `struct.field`, as in messages.
    pub name: &'static str,
    pub of: &'static str,
    /// Path of members inside the struct: `bi_iter.bi_sector`.
    pub path: &'static str,
    /// What the probe loads, to be checked against BTF.
    pub size: usize,
}

/// Position in [`FIELDS`].
#[cfg(target_arch = "bpf")]
pub const fn position(name: &str) -> u16 {
    let mut at = 0;
    while !same(FIELDS[at].name, name) {
        at += 1;
    }
    at as u16
}

#[cfg(target_arch = "bpf")]
const fn same(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let mut at = 0;
    while at < a.len() && at < b.len() && a[at] == b[at] {
        at += 1;
    }
    at == a.len() && at == b.len()
}

/// A pointer field to a struct.
pub struct Link<S>(pub *const S);

#[cfg(target_arch = "bpf")]
use crate::placeholder;
#[cfg(target_arch = "bpf")]
pub use bpf::{Load, Mode, Pointer, Raw, Typed, read, read_text};

#[cfg(target_arch = "bpf")]
mod bpf {
    use super::Link;
    use crate::placeholder::{self, Plain};
    use core::marker::PhantomData;

    /// How memory behind a kernel pointer is read.
    pub trait Mode {
        fn load<T: Plain, const FIELD: u16>(base: *const u8) -> T;
    }

    /// A pointer whose type the verifier knows (arguments of BTF tracepoints): plain loads.
    pub struct Typed;
    /// Any other kernel pointer: read through the helper, zero on a fault.
    pub struct Raw;

    impl Mode for Typed {
        #[inline(always)]
        fn load<T: Plain, const FIELD: u16>(base: *const u8) -> T {
            T::load::<FIELD>(base)
        }
    }

    impl Mode for Raw {
        #[inline(always)]
        fn load<T: Plain, const FIELD: u16>(base: *const u8) -> T {
            read(placeholder::add_offset::<FIELD>(base))
        }
    }

    /// Reads kernel memory through the helper; zero on a fault.
    #[inline(always)]
    pub fn read<T: Plain>(at: *const u8) -> T {
        let mut value = core::mem::MaybeUninit::<T>::zeroed();
        // SAFETY: the helper writes `size_of::<T>()` bytes or zeroes them; all `Plain` are
        // integers and pointers, valid for every bit pattern.
        unsafe {
            let _ = aya_ebpf::helpers::generated::bpf_probe_read_kernel(
                value.as_mut_ptr().cast(),
                size_of::<T>() as u32,
                at.cast(),
            );
            value.assume_init()
        }
    }

    /// Copies a string, cut to fit and ended by a zero; zeroes on a fault.
    ///
    /// # Safety
    /// `to` must be valid for `N` bytes of writes.
    #[inline(always)]
    pub unsafe fn read_text<const N: usize>(to: *mut [u8; N], at: *const u8) {
        // SAFETY: the caller vouches for the place; the helpers write at most `N` bytes.
        unsafe {
            to.write([0; N]);
            let _ = aya_ebpf::helpers::generated::bpf_probe_read_kernel_str(
                to.cast(),
                N as u32,
                at.cast(),
            );
        }
    }

    /// A pointer to a kernel struct.
    pub struct Pointer<M, S>(*const u8, PhantomData<(M, S)>);

    impl<M, S> Clone for Pointer<M, S> {
        #[inline(always)]
        fn clone(&self) -> Self {
            *self
        }
    }
    impl<M, S> Copy for Pointer<M, S> {}

    impl<M: Mode, S> Pointer<M, S> {
        #[inline(always)]
        pub fn new(raw: *const u8) -> Self {
            Self(raw, PhantomData)
        }

        #[inline(always)]
        pub fn is_null(self) -> bool {
            self.0.is_null()
        }

        /// The address as a number, for use as a key.
        #[inline(always)]
        pub fn address(self) -> u64 {
            let mut value: u64;
            // SAFETY: a move between registers; it makes the verifier forget the pointer's type
            // where arithmetic follows.
            unsafe {
                core::arch::asm!("{0} = {1}", out(reg) value, in(reg) self.0, options(nomem, nostack));
            }
            value
        }

        /// Reads a field at the offset that user space writes.
        #[inline(always)]
        pub fn field<T: Plain, const FIELD: u16>(self) -> T {
            M::load::<T, FIELD>(self.0)
        }
    }

    /// What a field reads as.
    pub trait Load<M: Mode, S> {
        type Out;
        fn load<const FIELD: u16>(of: Pointer<M, S>) -> Self::Out;
    }

    impl<M: Mode, S, T> Load<M, S> for Link<T> {
        type Out = Pointer<M, T>;
        #[inline(always)]
        fn load<const FIELD: u16>(of: Pointer<M, S>) -> Pointer<M, T> {
            Pointer::new(of.field::<*const u8, FIELD>())
        }
    }

    impl<M: Mode, S, T: Plain> Load<M, S> for T {
        type Out = T;
        #[inline(always)]
        fn load<const FIELD: u16>(of: Pointer<M, S>) -> T {
            of.field::<T, FIELD>()
        }
    }
}

/// Makes, per field: a getter on `Pointer`, whether this kernel has it as `struct::field()` (the
/// verifier knows the answer), and an entry in [`FIELDS`].
macro_rules! kernel_structs {
    ($(struct $s:ident { $($f:ident : $t:ty $(= $path:literal)?),* $(,)? })*) => {
        /// Every field that the probes read.
        pub const FIELDS: &[Field] = &[$($(Field {
            name: concat!(stringify!($s), ".", stringify!($f)),
            of: stringify!($s),
            path: kernel_structs!(@path $f $($path)?),
            size: size_of::<$t>(),
        }),*),*];

        $(
            #[expect(non_camel_case_types, reason = "named as in the kernel")]
            pub enum $s {}

            #[cfg(target_arch = "bpf")]
            impl $s {
                $(
                    /// Whether this kernel has the field.
                    #[inline(always)]
                    pub fn $f() -> bool {
                        placeholder::present::<
                            { position(concat!(stringify!($s), ".", stringify!($f))) },
                        >()
                    }
                )*
            }
            #[cfg(target_arch = "bpf")]
            impl<M: Mode> Pointer<M, $s> {
                $(
                    #[inline(always)]
                    pub fn $f(self) -> <$t as Load<M, $s>>::Out {
                        <$t as Load<M, $s>>::load::<
                            { position(concat!(stringify!($s), ".", stringify!($f))) },
                        >(self)
                    }
                )*
            }
        )*
    };
    (@path $f:ident $path:literal) => { $path };
    (@path $f:ident) => { stringify!($f) };
}

kernel_structs! {
    struct request {
        q: Link<request_queue>,
        mq_hctx: Link<blk_mq_hw_ctx>,
        cmd_flags: u32,
        rq_flags: u32,
        tag: i32,
        internal_tag: i32,
        __data_len: u32,
        __sector: u64,
        bio: Link<bio>,
        biotail: Link<bio>,
        rq_disk: Link<gendisk>,
        part: Link<block_device>,
        start_time_ns: u64,
        io_start_time_ns: u64,
    }
    struct request_queue { disk: Link<gendisk> }
    struct blk_mq_hw_ctx { queue_num: u32 }
    struct gendisk { major: u32, first_minor: u32 }
    struct block_device { bd_disk: Link<gendisk>, bd_dev: u32 }
    struct bio {
        bi_next: Link<bio>,
        bi_bdev: Link<block_device>,
        bi_disk: Link<gendisk>,
        bi_opf: u32,
        bi_status: u8,
        bi_sector: u64 = "bi_iter.bi_sector",
        bi_size: u32 = "bi_iter.bi_size",
    }
    struct file { f_inode: Link<inode>, f_dentry: Link<dentry> = "f_path.dentry" }
    struct inode { i_sb: Link<super_block>, i_ino: u64, i_alias: u64 = "i_dentry.first" }
    struct dentry { d_parent: Link<dentry>, d_name: u64 = "d_name.name", d_alias: u64 = "d_u.d_alias.next" }
    struct address_space { host: Link<inode> }
    struct super_block { s_dev: u32, s_magic: u64 }
    struct task_struct { files: Link<files_struct>, pid: u32, __state: u32, state: u64 }
    struct files_struct { fdt: Link<fdtable> }
    struct fdtable { fd: u64, max_fds: u32 }
    struct pt_regs { di: u64, regs: u64 }
}
