import Blur
import BlurText

extension Property {
  /// Checks that no edge mode and no image size makes a blur much more expensive than usual. Many programs
  /// let their users choose the edge mode and the image size, and a malicious user could overload such a
  /// program with a very expensive blur.
  ///
  /// Blurs are not timed. Instead, the time of a blur is estimated from the operations that the kernel
  /// counts, and the plan states how much memory it needs. Only planning is timed, to check that it does not
  /// take much longer than a blur.
  static let cost = Property(
    "cost",
    "no edge mode, size or sigma takes much more work than usual; planning is no slower than a few blurs",
    scope: Scope(sigmas: [0.7, 2.5, 5, 10, 30, 40, 100, 200, 1000], edges: EdgeMode.allCases.map(\.name))
  ) { test in
    try test.skipDefinition(ifSigmaAbove: 0)
    let isPlanningChecked = try test.expectQuickPlanning()
    do {
      try test.expectBoundedCosts()
    } catch let reason as NotApplicable {
      if !isPlanningChecked { throw reason }
    }
    return nil
  }
}

extension KernelUnderTest {
  /// The widths and heights of the images for which the cost of a blur is checked. The first image is a
  /// single pixel, and some others have only one row or one column.
  private static let sizesOfCosts = [
    (1, 1), (2, 1), (1, 7), (7, 7), (19, 19), (33, 17), (64, 64), (1, 256), (100, 100), (3, 700), (2048, 1),
    (1, 2048), (256, 256), (257, 300), (300, 1000), (1024, 1024), (2048, 2048),
  ]

  fileprivate func expectBoundedCosts() throws {
    guard kernel.promise.bound(for: format) != nil else {
      throw NotApplicable(
        "kernel \(kernel.name) does not promise the Gaussian, so the cost limits do not apply to it")
    }
    for (width, height) in Self.sizesOfCosts { try expectBoundedCost(layout(width, height)) }
  }

  private func expectBoundedCost(_ layout: ImageLayout) throws {
    let (work, size) = (work(layout, subject.edge), "\(layout.width)x\(layout.height)")
    guard work < .infinity else {
      throw NotApplicable("kernel \(kernel.name) does not estimate its cost")
    }
    let times = work / self.work(layout, .clamp)
    if kernel.promise.isExact, times > Self.mostTimes(layout) {
      throw Violation(
        "\(size): \(times.threeDigits) times the estimated work of edge mode clamp; allowed: at most "
          + "\(Self.mostTimes(layout)) times")
    }
    let ceiling = CostCeiling(self, layout)
    if work > ceiling.work {
      throw Violation(
        "\(size): an estimated \(Int(work)) ns of work; allowed: at most \(Int(ceiling.work)) ns, the limit "
          + "for plain window filters")
    }
    // The size of the scratch memory is known only after a plan has been made, and making plans for images of
    // all sizes would take too long.
    guard layout.pixelCount == 1 else { return }
    let bytes = try facts(layout).workspaceBytes(threads: 1)
    if Double(bytes) > ceiling.bytes {
      throw Violation(
        "\(size): \(bytes) bytes of scratch memory; allowed: at most \(Int(ceiling.bytes))")
    }
  }

  /// Returns the largest allowed cost of an edge mode, as a multiple of the cost of edge mode `clamp`. The
  /// multiple depends on the format and on the size of the image.
  private static func mostTimes(_ layout: ImageLayout) -> Double {
    switch (layout.format.component, min(layout.width, layout.height)) {
    // Images with fewer than 16 rows or columns may cost up to 3.2 times as much as with `clamp`. They are
    // expensive for a pyramid kernel, which blurs a coarse version of the image, because the whole image may
    // be smaller than one coarse pixel. If the edge mode repeats such an image, every window covers the whole
    // coarse version, which takes more work than with `clamp`.
    case (_, ..<16): 3.2
    case (.uint8, _): 1.4
    // Larger 16-bit images may cost up to 3.4 times as much as with `clamp`. A pyramid kernel blurs coarse
    // versions of the image, and edge modes that repeat the image amplify the rounding errors of these
    // versions. At some sigmas, a 16-bit pyramid kernel therefore computes in single precision, which takes
    // longer than its usual arithmetic.
    case (.uint16, _): 3.4
    case (.float32, 256...): 1.3
    case (.float32, _): 1.6
    }
  }

  /// Returns the estimated time of a blur in nanoseconds.
  private func work(_ layout: ImageLayout, _ edge: EdgeMode) -> Double {
    kernel.estimate(
      layout, BlurParameters(sigma: sigma, edge: edge), subject.instructionSet, threads: 1)
  }
}

/// The upper limits for the time and the scratch memory of a blur with any kernel.
private struct CostCeiling {
  /// The upper limit for the estimated time of a blur, in nanoseconds. The limit is the time that a simple
  /// blur takes: it multiplies every pixel of a window by a weight, first along one axis and then along the
  /// other. Kernels that only approximate the Gaussian may take three times as long as this simple blur.
  ///
  /// The number of multiplications is estimated with these rules:
  /// - A window that is more than twice as wide as the image counts as twice as wide. Such a window reads the
  ///   same pixels repeatedly, so a kernel can add up the weights of each pixel beforehand.
  /// - An image with fewer than 16 rows, or fewer than 16 components per row, counts as if it had 16, because
  ///   kernels process strips of several rows or columns together.
  /// - Kernels extend strips of rows and columns beyond their ends. The extension of one strip of rows and of
  ///   one strip of columns by a whole window is counted as well, with one multiplication for each additional
  ///   value.
  let work: Double
  /// The largest allowed scratch memory in bytes: a fixed amount, plus twice the memory of the image in
  /// single precision, plus twice the memory of the margins. The margins are the space that a kernel needs
  /// because it processes a group of rows or columns together, and windows reach beyond the ends of these
  /// rows or columns. One group of rows and one group of columns may each be extended by a whole window.
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
  /// The time in nanoseconds that one multiplication of a value by a weight may take, even in code without
  /// vector instructions. The constant `start` is the time that is allowed for any blur, however small.
  private static let product = 4.0, start = 20_000.0
  /// The number of multiplications that are allowed per pixel component, not counting the multiplications by
  /// the weights of the windows. A kernel that uses a Fourier transform needs them, even if the windows are
  /// small.
  private static let ofAnyValue = 32.0
  /// The factor by which a kernel that only approximates the Gaussian may take longer than an exact kernel.
  /// Approximations compute values far beyond the ends of each line, whereas exact kernels shorten windows
  /// that are wider than the image.
  private static let ofApproximations = 3.0
  private static let leastBytes = 524_288.0
}
