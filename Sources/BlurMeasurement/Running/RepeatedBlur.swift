import Blur
import BlurRecords
import BlurVerification

/// Blurs a case a number of times and does nothing else, so that a program like callgrind can count the
/// instructions.
///
/// The output is not verified. The input image is cheap to make, because the instructions for making it are
/// counted too.
public enum RepeatedBlur {
  /// Plans the case and blurs `iterations` times.
  ///
  /// - Parameters:
  ///   - item: The case to blur. Its instruction set must be available for the kernel on this CPU.
  ///   - iterations: The number of blurs, at least 1.
  ///   - kernels: The kernels among which the case's kernel is looked up.
  /// - Throws: A ``MeasurementError`` if the kernel is unknown, `iterations` is less than 1, or the kernel
  ///   does not support the case.
  public static func run(_ item: Case, iterations: Int, kernels: [Kernel]) throws(MeasurementError) {
    guard iterations > 0 else { throw .usage("\(iterations) iterations: there must be at least 1") }
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
      throw .failed("\(item.name): the kernel runs with isa=\(set.name) here, not with isa=\(item.isa.name)")
    }
    return kernel
  }

  /// Returns a test image in which all rows hold the same noise. Only one row of noise is computed, so that
  /// making the image takes few instructions.
  private static func input(_ layout: ImageLayout) throws(BlurError) -> Image {
    let row = try TestImage.noise.image(ImageLayout(layout.format, width: layout.width, height: 1), seed: 1)
    var image = try Image(layout)
    row.withView { row in
      image.withMutableView { image in
        for y in 0..<layout.height {
          // SAFETY: the prepared row and each row of the image hold `rowBytes` bytes, and `y` is less than
          // the height of the image.
          image.row(y).copyMemory(from: row.base, byteCount: layout.rowBytes)
        }
      }
    }
    return image
  }
}
