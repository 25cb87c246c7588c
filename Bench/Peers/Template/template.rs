//! The smallest complete plug-in in Rust: a separable Gaussian for 8-bit pixels with clamped edges. The
//! structures repeat those of Sources/CBlur/include/blur_plugin.h. To build and check the plug-in:
//!
//!     rustc --edition 2021 -O --crate-type cdylib Bench/Peers/Template/template.rs -o template.so
//!     blurbench verify --plugin ./template.so

use std::ffi::{c_char, c_void};
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::slice::{from_raw_parts, from_raw_parts_mut};

const OK: i32 = 0;
const FAILED: i32 = 2;
const GRAY8: i32 = 0;
const RGBA8: i32 = 1;
const RGB8: i32 = 6;
const CLAMP: i32 = 0;
const EXACT: i32 = 1;

#[repr(C)]
struct Request {
    format: i32,
    edge: i32,
    width: i64,
    height: i64,
    sigma_x: f64,
    sigma_y: f64,
    constant: [f64; 4],
    threads: i32,
}

#[repr(C)]
#[derive(Clone, Copy)]
struct Message {
    text: *mut c_char,
    capacity: usize,
}

#[repr(C)]
struct Kernel {
    name: *const c_char,
    summary: *const c_char,
    promise: i32,
    promise_levels: f64,
    promise_share: f64,
    formats: u32,
    edges: u32,
    most_threads: i32,
    context: *const c_void,
    plan: unsafe extern "C" fn(*const c_void, *const Request, *mut *mut c_void, Message) -> i32,
    blur: unsafe extern "C" fn(*mut c_void, *const u8, i64, *mut u8, i64, Message) -> i32,
    destroy: unsafe extern "C" fn(*mut c_void),
}

#[repr(C)]
pub struct Table {
    version: u32,
    count: u32,
    kernels: *const Kernel,
}

// The pointers in the table point to constants, so any thread may read them.
unsafe impl Sync for Kernel {}
unsafe impl Sync for Table {}

/// Returns the weights of the Gaussian from -4 sigma to 4 sigma, with the sum 1. For sigma 0, it returns the
/// single weight 1.
fn gaussian(sigma: f64) -> Vec<f32> {
    let radius = (4.0 * sigma).ceil() as i64;
    let weight = |i: i64| if i == 0 { 1.0 } else { (-((i * i) as f64) / (2.0 * sigma * sigma)).exp() };
    let sum: f64 = (-radius..=radius).map(weight).sum();
    (-radius..=radius).map(|i| (weight(i) / sum) as f32).collect()
}

struct Plan {
    width: usize,
    height: usize,
    channels: usize,
    across: Vec<f32>,
    down: Vec<f32>,
    /// One row after the vertical pass, with more pixels on each side.
    padded: Vec<f32>,
}

impl Plan {
    /// Makes a plan, once per case. Allocate memory and make decisions here, and not in the blur itself.
    fn new(request: &Request) -> Plan {
        let (width, height) = (request.width as usize, request.height as usize);
        let channels = match request.format {
            GRAY8 => 1,
            RGBA8 => 4,
            _ => 3,
        };
        let across = gaussian(request.sigma_x);
        let padded = vec![0.0; (width + across.len() - 1) * channels];
        Plan { width, height, channels, across, down: gaussian(request.sigma_y), padded }
    }

    /// Blurs the image row by row. For each row, the vertical pass writes the weighted sums of the columns
    /// into a buffer. The buffer is then extended on both sides with copies of its edge pixels, and the
    /// horizontal pass sums along it.
    ///
    /// # Safety
    /// `source` and `target` must be images of the planned size with these strides.
    unsafe fn blur(&mut self, source: *const u8, source_stride: i64, target: *mut u8, target_stride: i64) {
        let (channels, count) = (self.channels, self.width * self.channels);
        let (radius_x, radius_y) = (self.across.len() as i64 / 2, self.down.len() as i64 / 2);
        let margin = radius_x as usize * channels;
        for y in 0..self.height as i64 {
            self.padded[margin..margin + count].fill(0.0);
            for (i, weight) in (-radius_y..).zip(&self.down) {
                let line = (y + i).clamp(0, self.height as i64 - 1) as isize * source_stride as isize;
                let line = from_raw_parts(source.offset(line), count);
                for (sum, value) in self.padded[margin..].iter_mut().zip(line) {
                    *sum += weight * *value as f32;
                }
            }
            for i in 0..margin {
                self.padded[i] = self.padded[margin + i % channels];
                self.padded[margin + count + i] = self.padded[margin + count - channels + i % channels];
            }
            let row = from_raw_parts_mut(target.offset(y as isize * target_stride as isize), count);
            for (x, value) in row.iter_mut().enumerate() {
                let taps = self.padded[x..].iter().step_by(channels);
                let sum: f32 = self.across.iter().zip(taps).map(|(weight, value)| weight * value).sum();
                *value = (sum + 0.5) as u8; // a value above 255 becomes 255
            }
        }
    }
}

/// Calls `body` and turns a panic into a status, because no panic may leave a C function.
fn guarded(body: impl FnOnce()) -> i32 {
    if catch_unwind(AssertUnwindSafe(body)).is_ok() { OK } else { FAILED }
}

unsafe extern "C" fn make_plan(
    _: *const c_void, request: *const Request, plan: *mut *mut c_void, _: Message,
) -> i32 {
    guarded(|| *plan = Box::into_raw(Box::new(Plan::new(&*request))) as *mut c_void)
}

unsafe extern "C" fn blur(
    plan: *mut c_void, source: *const u8, source_stride: i64, target: *mut u8, target_stride: i64, _: Message,
) -> i32 {
    guarded(|| (*(plan as *mut Plan)).blur(source, source_stride, target, target_stride))
}

unsafe extern "C" fn destroy(plan: *mut c_void) {
    drop(Box::from_raw(plan as *mut Plan));
}

static KERNELS: [Kernel; 1] = [Kernel {
    name: c"template-gaussian".as_ptr(),
    summary: c"separable Gaussian, window 4 sigma, plain Rust: the plug-in to start from".as_ptr(),
    // The largest error that the kernel claims for any image: 1 level (1/255 of full scale) in 8-bit formats.
    promise: EXACT,
    promise_levels: 1.0,
    promise_share: 0.0,
    formats: 1 << GRAY8 | 1 << RGB8 | 1 << RGBA8,
    edges: 1 << CLAMP,
    most_threads: 1,
    context: std::ptr::null(),
    plan: make_plan,
    blur,
    destroy,
}];

#[no_mangle]
pub extern "C" fn blur_plugin() -> *const Table {
    static TABLE: Table = Table { version: 1, count: KERNELS.len() as u32, kernels: KERNELS.as_ptr() };
    &TABLE
}
