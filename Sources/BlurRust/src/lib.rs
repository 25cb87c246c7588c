//! The Gaussian blur of BlurBench's library for Rust, on top of `blur.h`.
//!
//! ```no_run
//! use blur::{blur, Edge, Image, Options, Plan};
//!
//! let source = vec![0u8; 1920 * 1080 * 4];
//! let mut result = source.clone();
//! let from = Image::new(&source[..], 1920, 1080, 4);
//! // One image:
//! blur(from, Image::new(&mut result[..], 1920, 1080, 4), 12.0, &Options::default())?;
//! // Many images with one plan:
//! let options = Options { edge: Edge::Mirror, threads: 2, ..Options::default() };
//! let plan = Plan::new(from, (12.0, 3.0), &options)?;
//! plan.blur(from, Image::new(&mut result[..], 1920, 1080, 4))?;
//! # Ok::<(), blur::Error>(())
//! ```
//!
//! With a [`VariablePlan`], sigma differs from pixel to pixel.
//!
//! The lengths of all slices are checked, so no call reads or writes beyond them.

#![warn(missing_docs)]
#![deny(unsafe_op_in_unsafe_fn)]

mod c;
mod variable;

use std::ffi::{CStr, CString};
use std::fmt;
use std::marker::PhantomData;

pub use variable::{VariableMethod, VariableOptions, VariablePlan};

/// The type of the components of a pixel: `u8`, `u16` or `f32`.
pub trait Component: Copy + c::Formats {}
impl Component for u8 {}
impl Component for u16 {}
impl Component for f32 {}

/// The pixels of an image: a slice `&[T]` to read, or `&mut [T]` to write. The components of a pixel lie side
/// by side.
#[derive(Clone, Copy, Debug)]
pub struct Image<Slice> {
    /// The components of all pixels, row by row.
    pub components: Slice,
    /// The number of pixels in a row.
    pub width: usize,
    /// The number of rows.
    pub height: usize,
    /// 1 for gray, 3 for rgb, or 4 for rgba.
    pub channels: usize,
    /// The number of components from one row to the next.
    pub stride: usize,
}

impl<Slice> Image<Slice> {
    /// Makes an image whose rows follow each other without padding.
    pub fn new(components: Slice, width: usize, height: usize, channels: usize) -> Self {
        Image { components, width, height, channels, stride: width.saturating_mul(channels) }
    }
}

/// The pixels that a blur reads beyond the edges of an image.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Edge {
    /// The nearest pixel of the image: `aaa|abcd|ddd`.
    #[default]
    Clamp,
    /// The image mirrored at the centre of its last pixel: `dcb|abcd|cba`.
    Mirror,
    /// The image mirrored beyond its last pixel: `cba|abcd|dcb`.
    Reflect,
    /// The opposite side of the image: `bcd|abcd|abc`.
    Wrap,
    /// A constant pixel: red, green, blue and alpha, whatever the [`Order`] of the image is, in the units of
    /// the format. A gray image uses only the first number, and an rgb image uses the first three.
    Constant([f32; 4]),
}

/// The order of the channels in memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// Red, green, blue, alpha. Images with three channels leave out alpha.
    #[default]
    Rgba = 0,
    /// Blue, green, red, alpha. Images with three channels leave out alpha.
    Bgra = 1,
    /// Alpha, red, green, blue.
    Argb = 2,
    /// Alpha, blue, green, red.
    Abgr = 3,
}

/// The meaning of the fourth channel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Alpha {
    /// The fourth channel is the opacity, and the colours are multiplied by it.
    #[default]
    Premultiplied = 0,
    /// The fourth channel is the opacity, and the colours are not multiplied by it, as in PNG files.
    Straight = 16,
    /// The fourth channel has no meaning. It becomes full scale in the result.
    Opaque = 32,
}

/// A standard deviation in pixels. One number stands for both axes. A pair is (x, y): along rows, and along
/// columns.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sigma {
    /// The standard deviation along a row.
    pub x: f64,
    /// The standard deviation along a column.
    pub y: f64,
}

impl From<f64> for Sigma {
    fn from(both: f64) -> Self {
        Sigma { x: both, y: both }
    }
}

impl From<(f64, f64)> for Sigma {
    fn from((x, y): (f64, f64)) -> Self {
        Sigma { x, y }
    }
}

/// The options of a blur. The default has clamped edges, one thread, and the fastest kernel with an error of
/// at most one level, which is 1/255 of full scale.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options<'a> {
    /// The edge mode.
    pub edge: Edge,
    /// The largest error of any pixel, in levels; 0 stands for 1 level.
    pub max_error: f64,
    /// The name of a kernel, or `None` to let the library choose.
    pub kernel: Option<&'a str>,
    /// The number of threads for one image, at most 1024. 0 stands for 1. It does not change the result.
    pub threads: i32,
    /// The order of the channels.
    pub order: Order,
    /// The meaning of the fourth channel. Images with fewer channels allow only the default.
    pub alpha: Alpha,
    /// 2 or 4 for a result of half or a quarter of the width and height, 0 or 1 for the full size. Each pixel
    /// of a smaller result is the mean of a block of blurred pixels. Columns and rows at the end that do not
    /// fill a block are left out.
    pub downscaled: i32,
}

/// The reason why a call failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// The number of the error in the enum `blur_error` of `blur.h`.
    pub code: i32,
    /// One line that says what was wrong and what is allowed.
    pub message: String,
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message)
    }
}

impl std::error::Error for Error {}

/// Blurs one image into `to`, which must have the size of the image, divided by `options.downscaled`.
pub fn blur<T: Component>(
    from: Image<&[T]>, to: Image<&mut [T]>, sigma: impl Into<Sigma>, options: &Options,
) -> Result<(), Error> {
    let (shape, _) = checked::<T, _>("image", &from, from.components.len())?;
    let kernel = kernel_text(options.kernel)?;
    let request = shape.request(sigma.into(), options, kernel.as_deref());
    // SAFETY: the request is valid during the call, and is for images of this shape and type.
    unsafe { shape.run(c::blur_image, &request, from, shape.result(options), to) }
}

/// A kernel prepared for images of one type and size.
#[derive(Debug)]
pub struct Plan<T> {
    address: *mut c::Plan,
    shape: Shape,
    result: Shape,
    components: PhantomData<fn(T)>,
}

// SAFETY: the library's functions may be called from any thread.
unsafe impl<T> Send for Plan<T> {}
// SAFETY: calls on one plan wait for each other in the library.
unsafe impl<T> Sync for Plan<T> {}

impl<T: Component> Plan<T> {
    /// Plans for images with the type and size of `like`, whose pixels are not read.
    pub fn new(like: Image<&[T]>, sigma: impl Into<Sigma>, options: &Options) -> Result<Self, Error> {
        let (shape, _) = checked::<T, _>("image", &like, like.components.len())?;
        let kernel = kernel_text(options.kernel)?;
        let request = shape.request(sigma.into(), options, kernel.as_deref());
        let mut address = std::ptr::null_mut();
        // SAFETY: the request and the place for the plan are valid during the call.
        check(unsafe { c::blur_plan_create(&request, &mut address) })?;
        Ok(Plan { address, shape, result: shape.result(options), components: PhantomData })
    }

    /// Blurs an image into `to`, which must have the planned size, divided by `options.downscaled`.
    pub fn blur(&self, from: Image<&[T]>, to: Image<&mut [T]>) -> Result<(), Error> {
        // SAFETY: the plan is valid, and was made for images of this shape and type.
        unsafe { self.shape.run(c::blur_execute, self.address, from, self.result, to) }
    }

    /// The name of the kernel that the plan runs.
    pub fn kernel(&self) -> &str {
        // SAFETY: the text is a C string that stays valid as long as the plan does.
        unsafe { CStr::from_ptr(c::blur_plan_kernel(self.address)) }.to_str().unwrap_or_default()
    }
}

impl<T> Drop for Plan<T> {
    fn drop(&mut self) {
        // SAFETY: the plan was made by `blur_plan_create`, and no other code uses it any more.
        unsafe { c::blur_destroy(self.address) }
    }
}

/// The format and the size of an image.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Shape {
    format: i32,
    width: usize,
    height: usize,
}

/// Returns the shape of an image, and its stride in bytes, after a check that `length` components hold all of
/// its pixels. Messages call the image `name`.
fn checked<T: Component, Slice>(
    name: &str, image: &Image<Slice>, length: usize,
) -> Result<(Shape, i64), Error> {
    let Image { width, height, channels, stride, .. } = *image;
    let place = [1, 3, 4].iter().position(|&count| count == channels);
    let place = place.ok_or_else(|| {
        Error { code: 1, message: format!("the {name}: channels {channels}: must be 1, 3 or 4") }
    })?;
    let row = width.saturating_mul(channels);
    let fits = row >= 1 && height >= 1 && stride >= row && row <= length
        && height - 1 <= (length - row) / stride;
    if !fits {
        let message = format!(
            "the {name}: {width}x{height} pixels with stride {stride} do not fit into {length} components"
        );
        return Err(Error { code: 2, message });
    }
    // The stride of a single row does not matter. In bytes, it could be too large for an integer.
    let bytes = if height == 1 { 0 } else { stride * std::mem::size_of::<T>() };
    Ok((Shape { format: T::FORMATS[place], width, height }, bytes as i64))
}

impl Shape {
    fn check(self, other: Shape, argument: &str) -> Result<(), Error> {
        if self == other {
            return Ok(());
        }
        Err(Error { code: 2, message: format!("the {argument} must be {self}, not {other}") })
    }

    /// Returns the shape of the result.
    fn result(self, options: &Options) -> Shape {
        let factor = options.downscaled.max(1) as usize;
        Shape { width: self.width / factor, height: self.height / factor, ..self }
    }

    /// Calls a function that blurs, after a check that the image has this shape, and that the result has the
    /// shape `blurred`.
    ///
    /// # Safety
    ///
    /// `plan` must be valid, and must be for such images with components of type `T`.
    unsafe fn run<P, T: Component>(
        self, function: c::Function<P>, plan: P, from: Image<&[T]>, blurred: Shape, to: Image<&mut [T]>,
    ) -> Result<(), Error> {
        let (image, from_stride) = checked::<T, _>("image", &from, from.components.len())?;
        let (result, to_stride) = checked::<T, _>("result", &to, to.components.len())?;
        self.check(image, "image")?;
        blurred.check(result, "result")?;
        let (from, to) = (from.components.as_ptr(), to.components.as_mut_ptr());
        // SAFETY: both slices hold all pixels of their images, as `checked` has found. The caller promises
        // that the plan fits.
        check(unsafe { function(plan, from.cast(), from_stride, to.cast(), to_stride) })
    }

    fn request(self, sigma: Sigma, options: &Options, kernel: Option<&CStr>) -> c::Options {
        let (edge, constant) = options.edge.parts();
        c::Options {
            size: std::mem::size_of::<c::Options>(),
            format: self.format,
            edge,
            width: self.width as i64,
            height: self.height as i64,
            sigma_x: sigma.x,
            sigma_y: sigma.y,
            constant,
            region: [0; 4],
            max_error: options.max_error,
            kernel: kernel.map_or(std::ptr::null(), CStr::as_ptr),
            threads: options.threads,
            allow_copy: 1,
            pixels: pixels(options.order, options.alpha),
            downscaled: options.downscaled,
        }
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        // SAFETY: each format in `FORMATS` has a name, a C string that is never freed.
        let format = unsafe { CStr::from_ptr(c::blur_format_name(self.format)) }.to_string_lossy();
        write!(formatter, "{format} {}x{}", self.width, self.height)
    }
}

impl Edge {
    /// Returns the number of the edge mode in `blur.h`, and the constant pixel.
    fn parts(self) -> (i32, [f32; 4]) {
        match self {
            Edge::Clamp => (0, [0.0; 4]),
            Edge::Mirror => (1, [0.0; 4]),
            Edge::Reflect => (2, [0.0; 4]),
            Edge::Wrap => (3, [0.0; 4]),
            Edge::Constant(pixel) => (4, pixel),
        }
    }
}

/// Returns the combination of values of the enum `blur_pixels` in `blur.h`.
fn pixels(order: Order, alpha: Alpha) -> i32 {
    order as i32 | alpha as i32
}

/// Returns the name of a kernel as a C string.
fn kernel_text(name: Option<&str>) -> Result<Option<CString>, Error> {
    name.map(CString::new).transpose().map_err(|_| Error {
        code: 6,
        message: "the name of a kernel contains a zero byte".into(),
    })
}

/// Returns the library's message if `code` is not 0.
fn check(code: i32) -> Result<(), Error> {
    if code == 0 {
        return Ok(());
    }
    // SAFETY: the text is a C string that stays valid until the next call on this thread fails.
    let message = unsafe { CStr::from_ptr(c::blur_last_error()) }.to_string_lossy().into_owned();
    Err(Error { code, message })
}
