// The smallest complete plug-in in Swift: a separable Gaussian for 8-bit pixels with clamped edges. To build
// and check the plug-in:
//
//     swiftc -O -wmo -parse-as-library -emit-library Bench/Peers/Template/template.swift -o template.so \
//       -import-objc-header Sources/CBlur/include/blur_plugin.h
//     blurbench verify --plugin ./template.so

import Glibc

/// Returns the weights of the Gaussian from -4 sigma to 4 sigma, with the sum 1. For sigma 0, it returns the
/// single weight 1.
func gaussian(_ sigma: Double) -> [Float] {
  let radius = Int((4 * sigma).rounded(.up))
  let weights = (-radius...radius).map { $0 == 0 ? 1 : exp(-Double($0 * $0) / (2 * sigma * sigma)) }
  let sum = weights.reduce(0, +)
  return weights.map { Float($0 / sum) }
}

final class Plan {
  private let width: Int, height: Int, channels: Int
  private let across: [Float], down: [Float]
  /// One row after the vertical pass, with more pixels on each side.
  private var padded: [Float]

  /// Makes a plan, once per case. Allocate memory and make decisions here, and not in the blur itself.
  init(_ request: blur_request) {
    (width, height) = (Int(request.width), Int(request.height))
    channels = Int(blur_channels(request.format))
    (across, down) = (gaussian(request.sigma_x), gaussian(request.sigma_y))
    padded = [Float](repeating: 0, count: (width + across.count - 1) * channels)
  }

  /// Blurs the image row by row. For each row, the vertical pass writes the weighted sums of the columns into
  /// a buffer. The buffer is then extended on both sides with copies of its edge pixels, and the horizontal
  /// pass sums along it.
  func blur(
    _ source: UnsafeRawPointer, _ sourceStride: Int, _ target: UnsafeMutableRawPointer, _ targetStride: Int
  ) {
    let count = width * channels
    let margin = across.count / 2 * channels
    padded.withUnsafeMutableBufferPointer { padded in
      for y in 0..<height {
        for x in 0..<count { padded[margin + x] = 0 }
        for (i, weight) in down.enumerated() {
          let row = min(max(y + i - down.count / 2, 0), height - 1)
          // SAFETY: `row` is a row of the source, and each row has `count` bytes.
          let line = UnsafeRawBufferPointer(start: source + row * sourceStride, count: count)
          for x in 0..<count { padded[margin + x] += weight * Float(line[x]) }
        }
        for i in 0..<margin {
          padded[i] = padded[margin + i % channels]
          padded[margin + count + i] = padded[margin + count - channels + i % channels]
        }
        // SAFETY: `y` is a row of the target, and each row has `count` bytes.
        let line = UnsafeMutableRawBufferPointer(start: target + y * targetStride, count: count)
        for x in 0..<count {
          var sum: Float = 0.5
          for (i, weight) in across.enumerated() { sum += weight * padded[x + i * channels] }
          line[x] = UInt8(min(sum, 255))
        }
      }
    }
  }
}

private func makeKernel() -> blur_kernel {
  var kernel = blur_kernel()
  kernel.name = UnsafePointer(strdup("template-gaussian"))
  kernel.summary = UnsafePointer(strdup("separable Gaussian, window 4 sigma: the plug-in to start from"))
  // The largest error that the kernel claims for any image: 1 level (1/255 of full scale) in 8-bit formats.
  kernel.promise = Int32(BLUR_PROMISE_EXACT.rawValue)
  kernel.promise_levels = 1
  kernel.formats = 1 << BLUR_GRAY8.rawValue | 1 << BLUR_RGB8.rawValue | 1 << BLUR_RGBA8.rawValue
  kernel.edges = 1 << BLUR_CLAMP.rawValue
  kernel.most_threads = 1
  // SAFETY: the harness passes valid pointers. It passes a plan that `plan` made to `blur` any number of
  // times, and then once to `destroy`, which frees it.
  kernel.plan = { _, request, made, _ in
    made!.pointee = Unmanaged.passRetained(Plan(request!.pointee)).toOpaque()
    return Int32(BLUR_OK.rawValue)
  }
  kernel.blur = { plan, source, sourceStride, target, targetStride, _ in
    Unmanaged<Plan>.fromOpaque(plan!).takeUnretainedValue()
      .blur(source!, Int(sourceStride), target!, Int(targetStride))
    return Int32(BLUR_OK.rawValue)
  }
  kernel.destroy = { Unmanaged<Plan>.fromOpaque($0!).release() }
  return kernel
}

/// Returns the table of kernels. Its memory is never freed, because BlurBench reads it until the process
/// ends.
@_cdecl("blur_plugin")
public func plugin() -> UnsafePointer<blur_plugin_table>? {
  let kernels = UnsafeMutablePointer<blur_kernel>.allocate(capacity: 1)
  kernels.initialize(to: makeKernel())
  let table = UnsafeMutablePointer<blur_plugin_table>.allocate(capacity: 1)
  table.initialize(
    to: blur_plugin_table(version: UInt32(BLUR_PLUGIN_VERSION), count: 1, kernels: UnsafePointer(kernels)))
  return UnsafePointer(table)
}
