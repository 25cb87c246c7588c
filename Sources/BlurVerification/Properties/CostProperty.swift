import Blur
import BlurText

extension Property {
  /// No edge mode and no size that a stranger may choose makes a blur much dearer. Nothing is timed, and
  /// nothing is blurred: kernels count their operations, and plans name their memory.
  static let cost = Property(
    "cost", "no edge mode takes much more work than clamp, and no image more than plain windows would",
    scope: Scope(sigmas: [0.7, 2.5, 5, 10, 30, 40, 100, 200, 1000], edges: EdgeMode.all.map(\.name))
  ) { test in
    try test.skipDefinition(ifSigmaAbove: 0)
    guard test.kernel.promise.bound(for: test.format) != nil else {
      throw NotApplicable("kernel \(test.kernel.name) does not promise the Gaussian, whose windows fold")
    }
    for (width, height) in KernelUnderTest.sizesOfCosts {
      try test.expectBoundedCost(test.layout(width, height))
    }
    return nil
  }
}

extension KernelUnderTest {
  /// From a single pixel on, thin ones too.
  fileprivate static let sizesOfCosts = [
    (1, 1), (2, 1), (1, 7), (7, 7), (19, 19), (33, 17), (64, 64), (1, 256), (100, 100), (3, 700), (2048, 1),
    (1, 2048), (256, 256), (257, 300), (300, 1000), (1024, 1024), (2048, 2048),
  ]

  fileprivate func expectBoundedCost(_ layout: ImageLayout) throws {
    let (work, size) = (work(layout, subject.edge), "\(layout.width)x\(layout.height)")
    guard work < .infinity else {
      throw NotApplicable("kernel \(kernel.name) does not count its operations")
    }
    let times = work / self.work(layout, .clamp)
    if kernel.promise.isExact, times > Self.mostTimes(layout) {
      throw Violation("\(size): \(times.threeDigits) times the work of clamp")
    }
    let ceiling = CostCeiling(self, layout)
    if work > ceiling.work {
      throw Violation("\(size): \(Int(work)) ns of work, above \(Int(ceiling.work)) ns of plain windows")
    }
    // Plans take time to make; of a single pixel, nothing but sigma makes scratch large.
    guard layout.pixelCount == 1 else { return }
    let bytes = try facts(layout).workspaceBytes(threads: 1)
    if Double(bytes) > ceiling.bytes {
      throw Violation("\(size): \(bytes) bytes of scratch, above \(Int(ceiling.bytes))")
    }
  }

  /// How many times the work of clamp another edge mode may take.
  private static func mostTimes(_ layout: ImageLayout) -> Double {
    switch (layout.format.component, min(layout.width, layout.height)) {
    // Folded windows of an axis that holds less than a pixel of the coarsest level.
    case (_, ..<16): 3.2
    case (.uint8, 256...): 1.2
    case (.uint8, _): 1.4
    // Folding enlarges what levels in 16 bits round: some sigmas are blurred in single precision for that.
    case (.uint16, _): 3.4
    case (.float32, 256...): 1.3
    case (.float32, _): 1.6
    }
  }

  /// Nanoseconds that the kernel's operations take by the constants of the instruction set.
  private func work(_ layout: ImageLayout, _ edge: EdgeMode) -> Double {
    kernel.estimate(
      layout, BlurParameters(sigma: sigma, edge: edge), subject.instructionSet, threads: 1)
  }
}

/// What a blur may cost, whatever the kernel.
private struct CostCeiling {
  /// Nanoseconds of two passes of plain windows that are folded into the image, which counts as one of 16
  /// rows and columns at least; and of a strip of rows and one of columns with a window to both sides.
  let work: Double
  /// Those of the strips in single precision, twice.
  let bytes: Double

  init(_ test: KernelUnderTest, _ layout: ImageLayout) {
    let sigma = test.sigma.folded(test.subject.edge, layout)
    let (channels, width, height) = (
      Double(layout.format.channels), Double(layout.width), Double(layout.height)
    )
    let (across, down) = (12 * sigma.x + 1, 12 * sigma.y + 1)
    let strips = Self.strip * channels * (across + down)
    let values = max(channels * width, Self.strip) * max(height, Self.strip)
    let products = values * (min(across, 2 * width) + min(down, 2 * height) + Self.ofAnyValue) + strips
    work = Self.start + (test.kernel.promise.isExact ? 1 : Self.ofApproximations) * Self.product * products
    bytes = Self.leastBytes + 8 * (values + strips)
  }

  private static let strip = 16.0
  /// Nanoseconds of a product of plain code, and of any blur.
  private static let product = 4.0, start = 20_000.0
  /// Products that a value may take even where windows are small, as for a Fourier transform.
  private static let ofAnyValue = 32.0
  /// Lines that approximations continue do not fold.
  private static let ofApproximations = 3.0
  private static let leastBytes = 524_288.0
}
