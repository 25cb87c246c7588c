import Blur
import BlurRecords
import BlurVerification

/// A case blurred a number of times and nothing else: what a counter of instructions watches.
///
/// The result is not verified here, and the input is cheap to make, for it is made under the counter too.
public enum RepeatedBlur {
  /// Plans the case and blurs `iterations` times.
  ///
  /// - Parameters:
  ///   - item: what to blur; its instruction set is the one that must run.
  ///   - kernels: the kernels there are.
  /// - Throws: ``MeasurementError`` for an unknown kernel, a number below 1, and what the kernel refuses.
  public static func run(_ item: Case, iterations: Int, kernels: [Kernel]) throws(MeasurementError) {
    guard iterations > 0 else { throw .usage("\(iterations) iterations: must be at least 1") }
    let kernel = try kernel(of: item, kernels)
    do {
      let buffers = try CaseBuffers(try input(item.workload.layout), isGuarded: false)
      let prepared = try PreparedCase(item, kernel, buffers)
      for _ in 0..<iterations { try prepared.blur() }
    } catch { throw .failed("\(item.name): \(error)") }
  }

  private static func kernel(of item: Case, _ kernels: [Kernel]) throws(MeasurementError) -> Kernel {
    guard let kernel = kernels.first(where: { $0.name == item.kernel }) else {
      throw .usage(ParseError(unknown: "kernel", item.kernel, among: kernels.map(\.name)).reason)
    }
    let set = kernel.instructionSet(upTo: item.isa)
    guard set == item.isa else {
      throw .failed("\(item.name): runs as isa=\(set.name) here, not as \(item.isa.name)")
    }
    return kernel
  }

  /// One row of noise, again and again.
  private static func input(_ layout: ImageLayout) throws(BlurError) -> Image {
    let row = try TestImage.noise.image(ImageLayout(layout.format, width: layout.width, height: 1), seed: 1)
    var image = try Image(layout)
    row.withView { row in
      image.withMutableView { image in
        for y in 0..<layout.height {
          // SAFETY: both rows hold `rowBytes` bytes, and `y` is inside the image.
          image.row(y).copyMemory(from: row.base, byteCount: layout.rowBytes)
        }
      }
    }
    return image
  }
}
