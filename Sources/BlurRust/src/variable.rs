//! Blurs whose sigma differs from pixel to pixel.

use std::marker::PhantomData;

use crate::{c, check, checked, kernel_text, pixels, Alpha, Component, Edge, Error, Image, Order, Shape};

/// A method for blurs whose sigma differs from pixel to pixel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum VariableMethod {
    /// Mixes blurs of fixed sigma, each a tenth wider than the one before. Mixing adds an error of less than
    /// a level, which is 1/255 of full scale.
    #[default]
    Levels = 0,
    /// Mixes eight blurs with evenly spaced sigmas. The error is large where the mask is dark.
    Layers = 1,
    /// Mixes the image with one blur. This is the cheapest method, but it makes no blur of a smaller sigma at
    /// all.
    CrossFade = 2,
    /// Makes two passes, each with the sigma of the pixel that it writes. The error is large where sigma
    /// changes from row to row.
    TwoPass = 3,
}

/// The options of a variable blur. The default has clamped edges, one thread, the method
/// [`VariableMethod::Levels`], and the fastest kernel with an error of at most one level.
#[derive(Clone, Copy, Debug, Default)]
pub struct VariableOptions<'a> {
    /// The edge mode.
    pub edge: Edge,
    /// The name of the kernel that makes the blurs to be mixed, or `None` to let the library choose.
    pub kernel: Option<&'a str>,
    /// The method.
    pub method: VariableMethod,
    /// The number of threads for one image, at most 1024. 0 stands for 1. It does not change the result.
    pub threads: i32,
    /// The order of the channels.
    pub order: Order,
    /// The meaning of the fourth channel. Images with fewer channels allow only the default.
    pub alpha: Alpha,
}

/// A blur whose sigma differs from pixel to pixel, prepared for one mask, and for images of one type and
/// size. Calls on the same plan wait for each other.
///
/// ```no_run
/// use blur::{Image, VariableOptions, VariablePlan};
///
/// let source = vec![0u8; 1920 * 1080 * 4];
/// let mut result = source.clone();
/// // The left half stays sharp, and the right half is blurred with sigma 24.
/// let mask: Vec<u8> = (0..1920 * 1080).map(|i| if i % 1920 < 960 { 0 } else { 255 }).collect();
/// let from = Image::new(&source[..], 1920, 1080, 4);
/// let mask = Image::new(&mask[..], 1920, 1080, 1);
/// let plan = VariablePlan::new(from, 24.0, mask, &VariableOptions::default())?;
/// plan.blur(from, Image::new(&mut result[..], 1920, 1080, 4))?;
/// # Ok::<(), blur::Error>(())
/// ```
#[derive(Debug)]
pub struct VariablePlan<T> {
    address: *mut c::VariablePlan,
    shape: Shape,
    components: PhantomData<fn(T)>,
}

// SAFETY: the library's functions may be called from any thread.
unsafe impl<T> Send for VariablePlan<T> {}
// SAFETY: calls on one plan wait for each other in the library.
unsafe impl<T> Sync for VariablePlan<T> {}

impl<T: Component> VariablePlan<T> {
    /// Plans for images with the type and size of `like`, whose pixels are not read. The sigma of each pixel
    /// is `sigma` times the value of the mask at this pixel, divided by 255. The mask is a gray image of the
    /// same size, and is copied. The plan blurs only where the mask needs it.
    pub fn new(
        like: Image<&[T]>, sigma: f64, mask: Image<&[u8]>, options: &VariableOptions,
    ) -> Result<Self, Error> {
        let (shape, _) = checked::<T, _>("image", &like, like.components.len())?;
        let (mask_shape, mask_stride) = checked::<u8, _>("mask", &mask, mask.components.len())?;
        let gray = <u8 as c::Formats>::FORMATS[0];
        Shape { format: gray, ..shape }.check(mask_shape, "mask")?;
        let kernel = kernel_text(options.kernel)?;
        let (edge, constant) = options.edge.parts();
        let request = c::VariableOptions {
            size: std::mem::size_of::<c::VariableOptions>(),
            format: shape.format,
            edge,
            width: shape.width as i64,
            height: shape.height as i64,
            sigma,
            constant,
            mask: mask.components.as_ptr(),
            mask_stride,
            kernel: kernel.as_deref().map_or(std::ptr::null(), |name| name.as_ptr()),
            method: options.method as i32,
            threads: options.threads,
            allow_copy: 1,
            pixels: pixels(options.order, options.alpha),
        };
        let mut address = std::ptr::null_mut();
        // SAFETY: the request and the place for the plan are valid during the call, and the slice of the mask
        // holds all of its pixels, as `checked` has found.
        check(unsafe { c::blur_variable_plan_create(&request, &mut address) })?;
        Ok(VariablePlan { address, shape, components: PhantomData })
    }

    /// Blurs an image into `to`. Both images must have the planned size.
    pub fn blur(&self, from: Image<&[T]>, to: Image<&mut [T]>) -> Result<(), Error> {
        // SAFETY: the plan is valid, and was made for images of this shape and type.
        unsafe { self.shape.run(c::blur_variable_execute, self.address, from, self.shape, to) }
    }

    /// The largest error, in levels, that the method causes in any image. The errors of the blurs that are
    /// mixed, and of one rounding, come on top. `None` if the method has no such bound, as for
    /// [`VariableMethod::TwoPass`].
    pub fn error(&self) -> Option<f64> {
        // SAFETY: the plan is valid.
        Some(unsafe { c::blur_variable_plan_error(self.address) }).filter(|&error| error >= 0.0)
    }
}

impl<T> Drop for VariablePlan<T> {
    fn drop(&mut self) {
        // SAFETY: the plan was made by `blur_variable_plan_create`, and no other code uses it any more.
        unsafe { c::blur_variable_destroy(self.address) }
    }
}
