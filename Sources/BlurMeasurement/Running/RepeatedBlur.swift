import Blur
import BlurRecords
import BlurVerification

extension Case {
  /// Blurs this case `iterations` times and does nothing else, so that a program such as callgrind can count
  /// the instructions. This CPU must support the instruction set of the case.
  ///
  /// The output is not verified. The input image is chosen so that making it takes few instructions, because
  /// these instructions are counted too.
  ///
  /// - Parameters:
  ///   - iterations: The number of blurs, at least 1.
  ///   - kernels: The known kernels. One of them must have the name of the case's kernel.
  /// - Throws: A ``MeasurementError`` if the kernel is unknown, `iterations` is less than 1, or the kernel
  ///   does not support the case.
  public func blur(iterations: Int, kernels: [Kernel]) throws(MeasurementError) {
    guard iterations > 0 else { throw .usage("\(iterations) iterations: there must be at least 1") }
    let kernel = try namedKernel(among: kernels)
    do {
      let buffers = try CaseBuffers(try Self.input(workload.layout), isGuarded: false)
      let prepared = try PreparedCase(self, kernel, buffers)
      for _ in 0..<iterations { try prepared.blur() }
    } catch { throw .failed("\(name): \(error)") }
  }

  private func namedKernel(among kernels: [Kernel]) throws(MeasurementError) -> Kernel {
    guard let found = kernels.first(where: { $0.name == kernel }) else {
      throw .usage(ParseError(unknown: "kernel", kernel, among: kernels.map(\.name)).reason)
    }
    let set = found.instructionSet(upTo: isa)
    guard set == isa else {
      throw .failed("\(name): the kernel runs with isa=\(set.name) here, not with isa=\(isa.name)")
    }
    return found
  }

  /// Returns a test image whose rows all hold the same noise. Making the image takes few instructions,
  /// because only one row of noise is computed.
  private static func input(_ layout: ImageLayout) throws(BlurError) -> Image {
    let row = try TestImage.noise.image(ImageLayout(layout.format, width: layout.width, height: 1), seed: 1)
    var image = try Image(layout)
    row.withView { row in
      image.withMutableView { image in
        for y in 0..<layout.height {
          // SAFETY: the prepared row and each row of the image hold `rowBytes` bytes, and `y` is less than
          // the height of the image.
          image.unsafeRow(y).copyMemory(from: row.unsafeBase, byteCount: layout.rowBytes)
        }
      }
    }
    return image
  }
}
