//! Tests the crate with the built library. `Tests/BlurCTests` runs them with `cargo test --offline`.

use blur::{
    blur, Alpha, Edge, Error, Image, Options, Order, Plan, VariableMethod, VariableOptions, VariablePlan,
};

const WIDTH: usize = 29;
const HEIGHT: usize = 17;

fn noise(count: usize) -> Vec<u8> {
    (0..count as u32).map(|i| (i.wrapping_mul(2654435761) >> 8) as u8).collect()
}

/// Returns the middle row of a blurred image of floats in which only the middle pixel is 1.
fn point(sigma: (f64, f64)) -> Vec<f32> {
    let mut source = vec![0f32; 21 * 21];
    source[10 * 21 + 10] = 1.0;
    let mut result = source.clone();
    let from = Image::new(&source[..], 21, 21, 1);
    blur(from, Image::new(&mut result[..], 21, 21, 1), sigma, &Options::default()).unwrap();
    result[10 * 21..11 * 21].to_vec()
}

#[test]
fn a_smaller_result_is_the_mean_of_blocks() {
    let source = vec![7u8; WIDTH * HEIGHT];
    let mut result = vec![0u8; (WIDTH / 4) * (HEIGHT / 4)];
    let from = Image::new(&source[..], WIDTH, HEIGHT, 1);
    let options = Options { downscaled: 4, ..Options::default() };
    blur(from, Image::new(&mut result[..], WIDTH / 4, HEIGHT / 4, 1), 5.0, &options).unwrap();
    assert!(result.iter().all(|&value| value == 7), "{result:?}");
    let options = Options { downscaled: 3, ..Options::default() };
    let mut third = vec![0u8; (WIDTH / 3) * (HEIGHT / 3)];
    let to = Image::new(&mut third[..], WIDTH / 3, HEIGHT / 3, 1);
    let error = blur(from, to, 5.0, &options).unwrap_err();
    assert_eq!((error.code, error.message.as_str()), (4, "downscaled 3: must be 1, 2 or 4"));
}

#[test]
fn a_pair_of_sigmas_is_x_then_y() {
    assert!(point((2.0, 0.0))[9] > 0.1);
    assert_eq!(point((0.0, 2.0))[9], 0.0);
}

/// The expected values follow from the sketches of `Edge` and the weights of a Gaussian with sigma 1.
#[test]
fn edges_are_read_as_documented() {
    let (near, far, half) = (0.2420, 0.0540, 0.3005);
    for (edge, first, last) in [
        (Edge::Clamp, near, 0.0), (Edge::Mirror, 2.0 * near, 0.0), (Edge::Reflect, near + far, 0.0),
        (Edge::Wrap, near, far), (Edge::Constant([1.0; 4]), near + half, half),
    ] {
        let source = [0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0f32];
        let mut result = source;
        let options = Options { edge, ..Options::default() };
        let to = Image::new(&mut result[..], 9, 1, 1);
        blur(Image::new(&source[..], 9, 1, 1), to, (1.0, 0.0), &options).unwrap();
        assert!((result[0] - first).abs() < 0.01 && (result[8] - last).abs() < 0.01, "{edge:?} {result:?}");
    }
}

/// Returns the library's names of the formats with components of type `T` and with 1, 3 and 4 channels.
fn formats<T: blur::Component + Default>() -> Vec<String> {
    [1, 3, 4].map(|channels| {
        let source = vec![T::default(); 2 * channels];
        let mut result = source.clone();
        let from = Image::new(&source[..], 2, 1, channels);
        let to = Image::new(&mut result[..], 1, 2, channels);
        let error = blur(from, to, 1.0, &Options::default()).unwrap_err();
        error.message.split(' ').nth(4).unwrap().to_string()
    }).to_vec()
}

#[test]
fn components_and_channels_have_the_format_of_the_library() {
    assert_eq!(formats::<u8>(), ["gray8", "rgb8", "rgba8"]);
    assert_eq!(formats::<u16>(), ["gray16", "rgb16", "rgba16"]);
    assert_eq!(formats::<f32>(), ["grayf32", "rgbf32", "rgbaf32"]);
}

#[test]
fn padded_rows_and_plans_give_the_result_of_packed_rows() {
    for channels in [1, 3, 4] {
        let (row, stride) = (WIDTH * channels, WIDTH * channels + 5);
        let source = noise(row * HEIGHT);
        let mut expected = source.clone();
        let options = Options { edge: Edge::Wrap, threads: 2, ..Options::default() };
        let from = Image::new(&source[..], WIDTH, HEIGHT, channels);
        blur(from, Image::new(&mut expected[..], WIDTH, HEIGHT, channels), 3.0, &options).unwrap();
        assert_ne!(expected, source);
        let mut padded = vec![77u8; stride * HEIGHT];
        let to = Image { components: &mut padded[..], width: WIDTH, height: HEIGHT, channels, stride };
        Plan::new(from, 3.0, &options).unwrap().blur(from, to).unwrap();
        for (found, wanted) in padded.chunks(stride).zip(expected.chunks(row)) {
            assert_eq!(found[..row], *wanted);
            assert_eq!(found[row..], [77; 5]);
        }
    }
}

#[test]
fn a_white_image_with_a_white_border_stays_white() {
    let source = vec![65535u16; 12 * 9 * 3];
    let mut result = vec![0u16; source.len()];
    let options = Options { edge: Edge::Constant([65535.0; 4]), ..Options::default() };
    let from = Image::new(&source[..], 12, 9, 3);
    blur(from, Image::new(&mut result[..], 12, 9, 3), 4.0, &options).unwrap();
    assert_eq!(result, source);
}

/// In an image of one colour with an edge of the same colour, no pixel changes. Only the fourth channel of an
/// opaque image becomes full scale. The colour of the edge is always red, green, blue, alpha.
#[test]
fn orders_and_alphas_are_read_as_documented() {
    let [red, green, blue, faint] = [0xF0u8, 0x80, 0x10, 5];
    for (order, alpha, pixel, expected) in [
        (Order::Bgra, Alpha::Straight, [blue, green, red, faint], [blue, green, red, faint]),
        (Order::Argb, Alpha::Straight, [faint, red, green, blue], [faint, red, green, blue]),
        (Order::Rgba, Alpha::Premultiplied, [red, green, blue, 255], [red, green, blue, 255]),
        (Order::Abgr, Alpha::Opaque, [faint, blue, green, red], [255, blue, green, red]),
    ] {
        let source = pixel.repeat(12 * 9);
        let mut result = vec![0u8; source.len()];
        let at_edge = if alpha == Alpha::Straight { faint } else { 255 };
        let edge = Edge::Constant([red, green, blue, at_edge].map(f32::from));
        let options = Options { edge, order, alpha, ..Options::default() };
        let from = Image::new(&source[..], 12, 9, 4);
        blur(from, Image::new(&mut result[..], 12, 9, 4), 3.0, &options).unwrap();
        assert_eq!(result, expected.repeat(12 * 9), "{order:?} {alpha:?}");
    }
}

#[test]
fn the_stride_of_a_single_row_does_not_matter() {
    let source = vec![1f32; 40];
    let mut result = vec![0f32; 40];
    let stride = usize::MAX;
    let from = Image { components: &source[..], width: 40, height: 1, channels: 1, stride };
    let to = Image { components: &mut result[..], width: 40, height: 1, channels: 1, stride };
    blur(from, to, 3.0, &Options::default()).unwrap();
    assert!(result.iter().all(|value| (value - 1.0).abs() < 0.01));
}

#[test]
fn threads_share_a_plan() {
    let source = noise(64 * 48);
    let from = Image::new(&source[..], 64, 48, 1);
    let plan = Plan::new(from, 5.0, &Options::default()).unwrap();
    let once = || {
        let mut result = vec![0u8; source.len()];
        for _ in 0..50 {
            plan.blur(from, Image::new(&mut result[..], 64, 48, 1)).unwrap();
        }
        result
    };
    let expected = once();
    std::thread::scope(|scope| {
        for thread in [scope.spawn(once), scope.spawn(once)] {
            assert_eq!(thread.join().unwrap(), expected);
        }
    });
}

#[test]
fn bad_input_is_an_error() {
    let source = noise(8 * 6);
    let from = Image::new(&source[..], 8, 6, 1);
    let options = Options::default();
    let attempt = |to: (usize, usize, usize, usize), sigma: f64, options: &Options| -> Error {
        let mut result = vec![0u8; 8 * 6];
        let (width, height, channels, stride) = to;
        let to = Image { components: &mut result[..], width, height, channels, stride };
        blur(from, to, sigma, options).unwrap_err()
    };
    let most = usize::MAX;
    for to in [
        (8, 7, 1, 8), (9, 6, 1, 9), (8, 6, 1, 7), (8, 6, 1, 9), (0, 6, 1, 8), (8, 0, 1, 8), (8, 6, 3, 24),
        (most, 1, 4, most), (8, most, 1, 8), (8, 6, 1, most), (8, 6, 1, 0), (most, most, 1, most),
    ] {
        let error = attempt(to, 1.0, &options);
        assert!(error.code == 2 && error.message.contains("do not fit into 48 components"), "{error}");
    }
    let fine = (8, 6, 1, 8);
    assert_eq!(attempt((8, 6, 2, 16), 1.0, &options).message, "the result: channels 2: must be 1, 3 or 4");
    assert_eq!(attempt((6, 8, 1, 6), 1.0, &options).message, "the result must be gray8 8x6, not gray8 6x8");
    assert!(attempt(fine, -1.0, &options).message.contains("from 0 to 1000"));
    assert!(attempt(fine, f64::NAN, &options).code == 3);
    let straight = Options { alpha: Alpha::Straight, ..options };
    assert!(attempt(fine, 1.0, &straight).code == 2);
    assert!(attempt(fine, 1.0, &Options { order: Order::Bgra, ..options }).code == 2);
    let named = |name| Options { kernel: Some(name), ..options };
    assert!(attempt(fine, 1.0, &named("pyramyd")).message.contains("did you mean 'pyramid'?"));
    assert!(attempt(fine, 1.0, &named("a\0b")).message.contains("zero byte"));
    assert_eq!(Plan::new(from, 1.0, &named("simd")).unwrap().kernel(), "simd");
}

/// Returns an image blurred with the sigma of each pixel of the mask, and the error bound of the method.
fn masked(source: &[u8], sigma: f64, mask: Image<&[u8]>, options: &VariableOptions) -> (Vec<u8>, f64) {
    let mut result = vec![0u8; source.len()];
    let channels = source.len() / (WIDTH * HEIGHT);
    let from = Image::new(source, WIDTH, HEIGHT, channels);
    let plan = VariablePlan::new(from, sigma, mask, options).unwrap();
    plan.blur(from, Image::new(&mut result[..], WIDTH, HEIGHT, channels)).unwrap();
    (result, plan.error().unwrap())
}

/// Returns a step from black to white, which two different sigmas blur to clearly different images.
fn step() -> Vec<u8> {
    (0..WIDTH * HEIGHT).map(|i| if i % WIDTH < 12 { 0 } else { 255 }).collect()
}

fn largest_difference(a: &[u8], b: &[u8]) -> u8 {
    a.iter().zip(b).map(|(&a, &b)| a.abs_diff(b)).max().unwrap()
}

#[test]
fn a_constant_mask_scales_sigma() {
    let source = step();
    for value in [51u8, 128, 255] {
        let mask = vec![value; source.len()];
        let mask = Image::new(&mask[..], WIDTH, HEIGHT, 1);
        let (result, error) = masked(&source, 8.0, mask, &VariableOptions::default());
        assert!(error < 1.0);
        let mut expected = source.clone();
        let sigma = 8.0 * f64::from(value) / 255.0;
        let from = Image::new(&source[..], WIDTH, HEIGHT, 1);
        blur(from, Image::new(&mut expected[..], WIDTH, HEIGHT, 1), sigma, &Options::default()).unwrap();
        // On both sides, a kernel may be wrong by one level, and rounding adds half a level.
        assert!(f64::from(largest_difference(&result, &expected)) <= error + 3.0, "{value}: {result:?}");
    }
}

/// The mask is 0 in the columns up to 10 and in the first five rows, and 255 elsewhere. Between its rows, it
/// holds other values, which must not be read.
#[test]
fn each_pixel_has_the_sigma_of_its_mask_value() {
    let stride = WIDTH + 6;
    let is_sharp = |x: usize, y: usize| x <= 10 || y < 5;
    let values: Vec<u8> = (0..stride * HEIGHT)
        .map(|i| (i % stride, i / stride))
        .map(|(x, y)| if x >= WIDTH { 99 } else if is_sharp(x, y) { 0 } else { 255 })
        .collect();
    let mask = Image { components: &values[..], width: WIDTH, height: HEIGHT, channels: 1, stride };
    let source = noise(WIDTH * HEIGHT);
    let options = VariableOptions { edge: Edge::Constant([255.0; 4]), threads: 2, ..Default::default() };
    let (result, error) = masked(&source, 3.0, mask, &options);
    let mut blurred = source.clone();
    let to = Image::new(&mut blurred[..], WIDTH, HEIGHT, 1);
    let plain = Options { edge: options.edge, ..Options::default() };
    blur(Image::new(&source[..], WIDTH, HEIGHT, 1), to, 3.0, &plain).unwrap();
    for (i, &found) in result.iter().enumerate() {
        if is_sharp(i % WIDTH, i / WIDTH) {
            assert_eq!(found, source[i], "pixel {i}");
        } else {
            assert!(f64::from(found.abs_diff(blurred[i])) <= error + 3.0, "pixel {i}");
        }
    }
    assert!(largest_difference(&blurred, &source) > 50);
}

/// A cross-fade mixes the image with one blur. The fewer blurs a method mixes, the larger its error.
#[test]
fn methods_are_those_of_the_library() {
    let source = step();
    let values = vec![51u8; source.len()];
    let mask = Image::new(&values[..], WIDTH, HEIGHT, 1);
    let options = |method| VariableOptions { method, ..Default::default() };
    let (result, fade) = masked(&source, 8.0, mask, &options(VariableMethod::CrossFade));
    let mut blurred = source.clone();
    let from = Image::new(&source[..], WIDTH, HEIGHT, 1);
    blur(from, Image::new(&mut blurred[..], WIDTH, HEIGHT, 1), 8.0, &Options::default()).unwrap();
    for (i, &found) in result.iter().enumerate() {
        let expected = 0.8 * f64::from(source[i]) + 0.2 * f64::from(blurred[i]);
        assert!((f64::from(found) - expected).abs() <= 2.0, "pixel {i}: {found}, not {expected}");
    }
    let (_, layers) = masked(&source, 8.0, mask, &options(VariableMethod::Layers));
    let (_, levels) = masked(&source, 8.0, mask, &options(VariableMethod::Levels));
    assert!(levels < 1.0 && 1.0 < layers && layers < fade, "{levels} {layers} {fade}");
    let two_pass = VariablePlan::new(from, 8.0, mask, &options(VariableMethod::TwoPass)).unwrap();
    assert_eq!(two_pass.error(), None);
}

/// The colour of the edge is always red, green, blue, alpha.
#[test]
fn a_mask_gives_the_same_colours_in_another_order() {
    let values = noise(WIDTH * HEIGHT);
    let mask = Image::new(&values[..], WIDTH, HEIGHT, 1);
    let source = noise(4 * WIDTH * HEIGHT);
    let swapped = |pixels: &[u8]| -> Vec<u8> {
        pixels.chunks(4).flat_map(|pixel| [pixel[2], pixel[1], pixel[0], pixel[3]]).collect()
    };
    let edge = Edge::Constant([250.0, 20.0, 130.0, 90.0]);
    for alpha in [Alpha::Premultiplied, Alpha::Straight, Alpha::Opaque] {
        let rgba = VariableOptions { edge, alpha, ..Default::default() };
        let bgra = VariableOptions { order: Order::Bgra, ..rgba };
        let (expected, _) = masked(&source, 4.0, mask, &rgba);
        assert_eq!(masked(&swapped(&source), 4.0, mask, &bgra).0, swapped(&expected), "{alpha:?}");
    }
}

/// The right part of the image is transparent green, which must not make the left part greener. A colour may
/// be wrong by the error of a blur divided by alpha, which is about 4 where alpha is half of full scale.
#[test]
fn hidden_colours_do_not_bleed() {
    let pixel = |i| if i % WIDTH < 12 { [200u8, 100, 50, 255] } else { [0, 255, 0, 0] };
    let source: Vec<u8> = (0..WIDTH * HEIGHT).flat_map(pixel).collect();
    let mask = vec![255u8; WIDTH * HEIGHT];
    let mask = Image::new(&mask[..], WIDTH, HEIGHT, 1);
    let options = VariableOptions { alpha: Alpha::Straight, ..Default::default() };
    let (result, _) = masked(&source, 3.0, mask, &options);
    let found = &result[4 * 11..4 * 12];
    assert!(largest_difference(&found[..3], &[200, 100, 50]) <= 8, "{found:?}");
    assert!((128..160).contains(&found[3]), "{found:?}");
}

#[test]
fn bad_masks_and_options_are_errors() {
    let source = noise(8 * 6);
    let from = Image::new(&source[..], 8, 6, 1);
    let attempt = |width: usize, height: usize, channels: usize, sigma: f64, options: &VariableOptions| {
        let mask = Image::new(&source[..], width, height, channels);
        VariablePlan::new(from, sigma, mask, options).map(|_| ()).unwrap_err()
    };
    let fine = VariableOptions::default();
    assert!(attempt(8, 7, 1, 2.0, &fine).message.contains("do not fit into 48 components"));
    assert_eq!(attempt(7, 6, 1, 2.0, &fine).message, "the mask must be gray8 8x6, not gray8 7x6");
    assert_eq!(attempt(4, 3, 4, 2.0, &fine).message, "the mask must be gray8 8x6, not rgba8 4x3");
    assert_eq!(attempt(8, 6, 1, -1.0, &fine).code, 3);
    assert_eq!(attempt(8, 6, 1, 2.0, &VariableOptions { threads: 1025, ..fine }).code, 5);
    assert_eq!(attempt(8, 6, 1, 2.0, &VariableOptions { kernel: Some("pyramyd"), ..fine }).code, 6);
    let straight = VariableOptions { alpha: Alpha::Straight, ..fine };
    assert!(attempt(8, 6, 1, 2.0, &straight).message.contains("needs a format with 4 channels"));
    let plan = VariablePlan::new(from, 2.0, from, &fine).unwrap();
    let mut result = vec![0u8; 8 * 6];
    let error = plan.blur(from, Image::new(&mut result[..], 6, 8, 1)).unwrap_err();
    assert_eq!(error.message, "the result must be gray8 8x6, not gray8 6x8");
}
