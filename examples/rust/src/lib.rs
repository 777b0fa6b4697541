// SPDX-License-Identifier: Apache-2.0

//! A lock in Rust before lockbench's workloads, by the C interface (<lockbench/c_lock.h>).
//!
//!     cargo build --release
//!     lockbench run --plugin target/release/librust_locks.so --primitive global:lock=rust_spin

use std::ffi::{c_char, c_int, c_void};
use std::sync::atomic::{AtomicBool, Ordering};

/// `lockbench_c_lock`, member by member.
#[repr(C)]
pub struct CLock {
    size: usize,
    name: *const c_char,
    summary: *const c_char,
    create: Option<extern "C" fn() -> *mut c_void>,
    lock: Option<extern "C" fn(*mut c_void)>,
    try_lock: Option<extern "C" fn(*mut c_void) -> c_int>,
    unlock: Option<extern "C" fn(*mut c_void)>,
    destroy: Option<extern "C" fn(*mut c_void)>,
    lock_key: Option<extern "C" fn(*mut c_void, u64)>,
    try_lock_key: Option<extern "C" fn(*mut c_void, u64) -> c_int>,
    unlock_key: Option<extern "C" fn(*mut c_void, u64)>,
}

/// `lockbench_c_plugin`, member by member.
#[repr(C)]
pub struct CPlugin {
    magic: u64,
    version: u32,
    stride: u32,
    count: u64,
    locks: *const CLock,
}

// The data that they point to never changes.
unsafe impl Sync for CLock {}
unsafe impl Sync for CPlugin {}

fn flag<'a>(lock: *mut c_void) -> &'a AtomicBool {
    unsafe { &*(lock as *const AtomicBool) }
}

extern "C" fn create() -> *mut c_void {
    Box::into_raw(Box::new(AtomicBool::new(false))) as *mut c_void
}

extern "C" fn try_lock(lock: *mut c_void) -> c_int {
    !flag(lock).swap(true, Ordering::Acquire) as c_int
}

extern "C" fn lock(lock: *mut c_void) {
    while try_lock(lock) == 0 {
        std::thread::yield_now();
    }
}

extern "C" fn unlock(lock: *mut c_void) {
    flag(lock).store(false, Ordering::Release);
}

extern "C" fn destroy(lock: *mut c_void) {
    drop(unsafe { Box::from_raw(lock as *mut AtomicBool) });
}

static LOCKS: [CLock; 1] = [CLock {
    size: std::mem::size_of::<CLock>(),
    name: b"rust_spin\0".as_ptr() as *const c_char,
    summary: b"a flag in a loop\0".as_ptr() as *const c_char,
    create: Some(create),
    lock: Some(lock),
    try_lock: Some(try_lock),
    unlock: Some(unlock),
    destroy: Some(destroy),
    lock_key: None,
    try_lock_key: None,
    unlock_key: None,
}];

#[no_mangle]
pub static lockbench_c_locks: CPlugin = CPlugin {
    magic: 0x316b_636f_6c63_626c,
    version: 1,
    stride: std::mem::size_of::<CLock>() as u32,
    count: 1,
    locks: LOCKS.as_ptr(),
};
