import Blur
import BlurText

extension Property {
  /// No edge mode and no size that a stranger may choose makes a blur much dearer. Nothing is timed, and
  /// nothing is blurred: kernels count their operations, and plans name their memory.
  static let cost = Property(
    "cost", "no edge mode takes much more work than clamp, and no image more than plain windows would",
    scope: Scope(sigmas: [0.7, 2.5, 5, 10, 40, 200, 1000], edges: EdgeMode.all.map(\.name))
  ) { test in
    guard case .exact = test.kernel.promise else {
      throw NotApplicable("kernel \(test.kernel.name) does not promise the Gaussian, whose windows fold")
    }
    try test.skipDefinition(ifSigmaAbove: 0)
    for (width, height) in KernelUnderTest.sizesOfCosts {
      let layout = try test.layout(width, height)
      let work = test.work(layout, test.subject.edge)
      guard work < .infinity else {
        throw NotApplicable("kernel \(test.kernel.name) does not count its operations")
      }
      let (place, ceiling) = ("\(width)x\(height)", CostCeiling(test, layout))
      let times = work / test.work(layout, .clamp)
      if times > KernelUnderTest.mostTimes(width, height) {
        throw Violation("\(place): \(times.short) times the work of clamp")
      }
      if work > ceiling.work {
        throw Violation("\(place): \(Int(work)) ns of work, above \(Int(ceiling.work)) ns of plain windows")
      }
      // Plans take time to make; of a single pixel, nothing but sigma makes scratch large.
      guard layout.pixelCount == 1 else { continue }
      let bytes = try test.facts(layout).workspaceBytes(threads: 1)
      if Double(bytes) > ceiling.bytes {
        throw Violation("\(place): \(bytes) bytes of scratch, above \(Int(ceiling.bytes))")
      }
    }
    return nil
  }
}

extension KernelUnderTest {
  /// From a single pixel on, thin ones too.
  fileprivate static let sizesOfCosts = [
    (1, 1), (2, 1), (1, 7), (7, 7), (19, 19), (33, 17), (64, 64), (1, 256), (100, 100), (3, 700), (2048, 1),
    (256, 256), (257, 300), (300, 1000), (1024, 1024), (2048, 2048),
  ]

  /// How many times the work of clamp another edge mode may take.
  fileprivate static func mostTimes(_ width: Int, _ height: Int) -> Double {
    switch min(width, height) {
    case 256...: 1.3
    // Folded windows of an axis that holds less than a pixel of the coarsest level.
    case ..<16: 4
    default: 2.1
    }
  }

  /// Nanoseconds that the kernel's operations take by the constants of the instruction set.
  fileprivate func work(_ layout: ImageLayout, _ edge: EdgeMode) -> Double {
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
    work = Self.start + Self.product * products
    bytes = Self.leastBytes + 8 * (values + strips)
  }

  private static let strip = 16.0
  /// Nanoseconds of a product of plain code, and of any blur.
  private static let product = 4.0, start = 20_000.0
  /// Products that a value may take even where windows are small, as for a Fourier transform.
  private static let ofAnyValue = 32.0
  private static let leastBytes = 65_536.0
}
