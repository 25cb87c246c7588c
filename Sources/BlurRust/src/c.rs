//! The declarations of `blur.h` that this crate uses.

use std::os::raw::{c_char, c_void};

/// The numbers of the gray, rgb and rgba formats with components of this type.
pub trait Formats {
    const FORMATS: [i32; 3];
}
impl Formats for u8 {
    const FORMATS: [i32; 3] = [0, 6, 1];
}
impl Formats for u16 {
    const FORMATS: [i32; 3] = [2, 7, 3];
}
impl Formats for f32 {
    const FORMATS: [i32; 3] = [4, 8, 5];
}

#[repr(C)]
pub struct Options {
    pub size: usize,
    pub format: i32,
    pub edge: i32,
    pub width: i64,
    pub height: i64,
    pub sigma_x: f64,
    pub sigma_y: f64,
    pub constant: [f32; 4],
    pub region: [i64; 4],
    pub max_error: f64,
    pub kernel: *const c_char,
    pub threads: i32,
    pub allow_copy: i32,
    pub pixels: i32,
    pub downscaled: i32,
}

#[repr(C)]
pub struct VariableOptions {
    pub size: usize,
    pub format: i32,
    pub edge: i32,
    pub width: i64,
    pub height: i64,
    pub sigma: f64,
    pub constant: [f32; 4],
    pub mask: *const u8,
    pub mask_stride: i64,
    pub kernel: *const c_char,
    pub method: i32,
    pub threads: i32,
    pub allow_copy: i32,
    pub pixels: i32,
}

/// A plan, of which only the library knows the members.
#[repr(C)]
pub struct Plan {
    _members: [u8; 0],
}

/// A plan for a variable blur, of which only the library knows the members.
#[repr(C)]
pub struct VariablePlan {
    _members: [u8; 0],
}

/// A function that blurs an image with a plan, or with options, at the address `P`. The other arguments are
/// the addresses of the image and of the result, each followed by the stride in bytes.
pub type Function<P> = unsafe extern "C" fn(P, *const c_void, i64, *mut c_void, i64) -> i32;

extern "C" {
    pub fn blur_image(
        options: *const Options, from: *const c_void, from_stride: i64, to: *mut c_void, to_stride: i64,
    ) -> i32;
    pub fn blur_plan_create(options: *const Options, plan: *mut *mut Plan) -> i32;
    pub fn blur_execute(
        plan: *mut Plan, from: *const c_void, from_stride: i64, to: *mut c_void, to_stride: i64,
    ) -> i32;
    pub fn blur_destroy(plan: *mut Plan);
    pub fn blur_plan_kernel(plan: *const Plan) -> *const c_char;
    pub fn blur_variable_plan_create(options: *const VariableOptions, plan: *mut *mut VariablePlan) -> i32;
    pub fn blur_variable_execute(
        plan: *mut VariablePlan, from: *const c_void, from_stride: i64, to: *mut c_void, to_stride: i64,
    ) -> i32;
    pub fn blur_variable_plan_error(plan: *const VariablePlan) -> f64;
    pub fn blur_variable_destroy(plan: *mut VariablePlan);
    pub fn blur_format_name(format: i32) -> *const c_char;
    pub fn blur_last_error() -> *const c_char;
}
