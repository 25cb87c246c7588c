import Blur
import Testing

@testable import BlurVerification

@Suite struct OtherBlurTests {
  /// Returns the part of the first failure's message that says which other blur the result is, or nil if
  /// there is no such part.
  private func named(
    _ kernel: Kernel, _ property: Property, _ formats: [PixelFormat], edges: [String]? = nil,
    _ sigma: Sigma? = nil
  ) throws -> String? {
    var run = VerificationRun(kernels: [kernel], properties: [property])
    (run.formats, run.edgeNames, run.sigmas) = (formats, edges, [try sigma ?? Sigma(2.5)])
    run.images = property.name == "shapes" ? [SampleImage(kind: .noise, width: 33, height: 20)] : nil
    let rows = VerificationReport(try run.checks()).rows
    try #require(rows.map(\.status) == [.failed])
    let message = try #require(rows[0].message)
    return message.split(separator: "; ").first { $0.contains(" the result matches ") }.map(String.init)
  }

  @Test(
    "If the result is the blur with another edge mode, the message names that edge mode",
    arguments: [PixelFormat.rgba8, .gray16, .rgbf32])
  func aWrongEdgeModeIsNamed(_ format: PixelFormat) throws {
    let start = "in the image that failed first (33x20), the result matches the blur with edge "
    let reflect = try named(Kernel(MutantKernel<ReflectAsMirror>()), .shapes, [format])
    #expect(reflect == start + "mirror")
    let wrap = try named(Kernel(MutantKernel<WrapAsClamp>()), .shapes, [format])
    #expect(wrap == start + "clamp")
    let black = try named(Kernel(MutantKernel<BlackConstant>()), .shapes, [format])
    #expect(black == start + "constant")
    // The kernel `DarkEdges` leaves out pixels beyond the edge without a correction. The result is the same
    // as with the edge mode constant and the colour black.
    let dark = try named(Kernel(MutantKernel<DarkEdges>()), .shapes, [format])
    #expect(dark == start + "constant")
  }

  /// For a step from left to right, several edge modes have the same result.
  @Test("If several edge modes give this result, the message names all of them")
  func edgesThatLookAlikeAreAllNamed() throws {
    let wrap = try named(Kernel(MutantKernel<WrapAsClamp>()), .truth, [.gray8])
    let start = "in the image that failed first (37x29), the result matches the blur with edge "
    #expect(wrap == start + "clamp, mirror or reflect")
  }

  /// The property `axes` chooses its own sigmas. A failure records the sigma that was actually used, so the
  /// message can still say which edge mode would give this result.
  @Test("A wrong edge mode is also named by a property that chooses its own sigmas")
  func anEdgeIsNamedWhateverTheSigma() throws {
    let sigma = try Sigma(x: 2, y: 0.7)
    let message = try named(
      Kernel(MutantKernel<ReflectAsMirror>()), .axes, [.gray8], edges: ["reflect"], sigma)
    let start = "in the image that failed first (31x23), the result matches the blur with edge "
    #expect(message == start + "mirror")
  }

  @Test("A mistake with premultiplied colours is named", arguments: [PixelFormat.rgba8, .rgba16])
  func coloursThatAreMixedUpWithAlphaAreNamed(_ format: PixelFormat) throws {
    func named(_ kernel: some BlurKernel) throws -> String? {
      try self.named(Kernel(kernel), .shapes, [format], edges: ["clamp"])
    }
    let start = "in the image that failed first (33x20), the result matches the blur of colours that are "
    #expect(
      try named(MutantKernel<BlursStraight>()) == start
        + "divided by alpha before the blur and multiplied by alpha after the blur")
    #expect(
      try named(MutantKernel<PremultipliesAgain>())
        == start + "multiplied by alpha before the blur and divided by alpha after the blur")
    #expect(try named(MutantKernel<LeavesStraight>()) == start + "divided by alpha after the blur")
  }

  /// Kernels that are inaccurate, or wrong in another way, do not match any other blur.
  @Test(
    "The message names no other blur if the kernel is inaccurate, or wrong in another way",
    arguments: [
      Kernel(MutantKernel<WrongSigma>()), Kernel(MutantKernel<OffCentre>()), Kernel(MutantKernel<Copy>()),
      Kernel(MutantKernel<Truncating>()), Kernel(MutantKernel<ClampOffByOne>()),
      Kernel(MutantKernel<BlueForRed>()), Kernel(MutantKernel<GaussianAsBoxes>()),
      Kernel(MutantKernel<UnknownSpecification>()), Kernel(MutantKernel<Nearly>()),
    ])
  func merelyInaccurateKernelsAreGivenNoSuchCause(_ kernel: Kernel) throws {
    for edge in Subject.edgeNames where kernel.name != "ClampOffByOne" || edge == "clamp" {
      let format = kernel.name == "Truncating" ? PixelFormat.rgba8 : .rgbaf32
      let message = try named(kernel, .truth, [kernel.name == "BlueForRed" ? .rgba8 : format], edges: [edge])
      #expect(message == nil)
    }
  }
}

/// A kernel that treats `wrap` like `clamp`.
private enum WrapAsClamp: Mutant {
  static func mutate(_ blur: inout PlainBlur) {
    blur.index = { i, count, edge in (edge == .wrap ? .clamp : edge).index(of: i, count: count) }
  }
}

/// A kernel that is slightly too dark at an edge, by more than its promise allows.
private enum Nearly: Mutant {
  static func run(_ blur: PlainBlur, _ units: Range<Int>, _ buffers: PhaseContext) {
    blur.run(units, buffers)
    for y in units {
      blur.write(buffers.destination, 0, y, 0, blur.read(buffers.destination.readOnly, 0, y, 0) - 1e-4)
    }
  }
}

/// A kernel that blurs colours that are not premultiplied, by converting them before and after the blur.
private enum BlursStraight: Mutant {
  static func mutate(_ blur: inout PlainBlur) {
    let most = blur.format.fullScale
    blur.before = { $1 == 3 ? $0 : $2 == 0 ? 0 : min(most, $0 / $2).rounded() }
  }
  static func run(_ blur: PlainBlur, _ units: Range<Int>, _ buffers: PhaseContext) {
    blur.run(units, buffers)
    blur.changeColours(units, buffers) { $0 * $1 }
  }
}

/// A kernel that takes premultiplied colours for straight ones: it multiplies them by alpha, blurs, and
/// divides them by alpha.
private enum PremultipliesAgain: Mutant {
  static func mutate(_ blur: inout PlainBlur) { blur.before = { $1 == 3 ? $0 : ($0 * $2).rounded() } }
  static func run(_ blur: PlainBlur, _ units: Range<Int>, _ buffers: PhaseContext) {
    blur.run(units, buffers)
    blur.changeColours(units, buffers) { $1 == 0 ? 0 : $0 / $1 }
  }
}

/// A kernel that returns straight colours instead of premultiplied ones.
private enum LeavesStraight: Mutant {
  static func run(_ blur: PlainBlur, _ units: Range<Int>, _ buffers: PhaseContext) {
    blur.run(units, buffers)
    blur.changeColours(units, buffers) { $1 == 0 ? 0 : $0 / $1 }
  }
}

extension PlainBlur {
  /// Changes the colours of blurred rows. `change` gets alpha as a fraction of full scale.
  fileprivate func changeColours(
    _ units: Range<Int>, _ buffers: PhaseContext, _ change: (_ colour: Double, _ alpha: Double) -> Double
  ) {
    for y in units {
      for x in 0..<region.width {
        let alpha = read(buffers.destination.readOnly, x, y, 3) / format.fullScale
        for c in 0..<3 {
          write(buffers.destination, x, y, c, change(read(buffers.destination.readOnly, x, y, c), alpha))
        }
      }
    }
  }
}
