import Blur

extension FuzzTarget {
  /// Blurs with arbitrary layouts, parameters and kernels, on buffers of exactly the required size.
  static let blurs = FuzzTarget(
    name: "blurs",
    seeds: {
      Registry.kernels.indices.flatMap { kernel in
        (0..<6).map { format in [UInt8(kernel), UInt8(format), 40, 30, 0, 0, 2, 0, 0, 0, 0, 1] }
      }
    },
    run: { bytes in
      var choices = Choices(bytes)
      do throws(BlurError) {
        let trial = try BlurTrial(&choices)
        if trial.isAffordable { try trial.run(&choices) }
      } catch {
        // The typed throw guarantees that every error is a `BlurError`. The error must also have a message.
        require(!error.description.isEmpty, "an error without words: \(error)")
      }
    })
}

/// A blur whose kernel, layout and parameters the fuzzer chose.
private struct BlurTrial {
  let kernel: Kernel
  let layout: ImageLayout
  let parameters: BlurParameters
  let threads: Int

  init(_ choices: inout Choices) throws(BlurError) {
    kernel = choices.pick(Registry.kernels)
    let format = choices.pick(PixelFormat.allCases)
    let (width, height) = (1 + choices.number(0...69), 1 + choices.number(0...69))
    layout = try Self.layout(format, width, height, &choices)
    let x = choices.sigma()
    let y = choices.byte() % 2 == 0 ? x : choices.sigma()
    let edge = Self.edge(&choices)
    let isa = InstructionSet.allCases.reversed()[choices.number(0...2)]
    threads = choices.pick([1, 2, 3, 0])
    parameters = BlurParameters(
      sigma: try Sigma(x: x, y: y), edge: edge, region: Self.region(layout, &choices), instructionSet: isa)
  }

  static func layout(
    _ format: PixelFormat, _ width: Int, _ height: Int, _ choices: inout Choices
  ) throws(BlurError) -> ImageLayout {
    let padding = choices.number(0...255)
    // One stride in a few hundred is too short, and must be rejected.
    let stride = width * format.bytesPerPixel + (padding == 255 ? -1 : padding % 80)
    return try ImageLayout(format, width: width, height: height, stride: stride)
  }

  private static func edge(_ choices: inout Choices) -> EdgeMode {
    let mode = choices.pick(EdgeMode.allCases)
    guard case .constant = mode else { return mode }
    var pixel = SIMD4<Float>.zero
    for c in 0..<4 {
      pixel[c] = choices.pick([0, 1, 255, 0.5, -3, 1e9, Float(bitPattern: UInt32(choices.bits() >> 32))])
    }
    return .constant(pixel)
  }

  /// Returns nil, or a region. A few of the regions reach outside the image.
  private static func region(_ layout: ImageLayout, _ choices: inout Choices) -> Region? {
    guard choices.byte() % 2 == 1 else { return nil }
    let (x, y) = (choices.number(0...layout.width - 1), choices.number(0...layout.height - 1))
    let most = (layout.width - x, layout.height - y)
    let isOutside = choices.byte() == 255
    return Region(
      x: x, y: y, width: isOutside ? most.0 + 1 : 1 + choices.number(0...most.0 - 1),
      height: 1 + choices.number(0...most.1 - 1))
  }

  /// Whether the blur takes only a few milliseconds. The estimate counts taps, or for a pyramid the pixels of
  /// the image and of its continuation on all sides.
  var isAffordable: Bool {
    let (across, down) = (12 * parameters.sigma.x + 1, 12 * parameters.sigma.y + 1)
    let (width, height) = (Double(layout.width), Double(layout.height))
    let pixels =
      switch kernel.name {
      case "naive": width * height * across * down
      case "pyramid", "pyramid-fine": (width + across) * (height + down)
      default: width * height * (across + down)
      }
    return pixels * Double(layout.format.channels) < 1e6
  }

  /// Blurs the image, and then blurs it again on one thread. Nothing but the result may be written, and both
  /// results must have the same bits.
  func run(_ choices: inout Choices) throws(BlurError) {
    let plan = try BlurPlan(kernel, for: layout, parameters, threads: threads)
    let size = (plan.region.width, plan.region.height)
    let source = ExactBuffer(try Self.layout(layout.format, layout.width, layout.height, &choices), &choices)
    let target = ExactBuffer(try Self.layout(layout.format, size.0, size.1, &choices), &choices)
    let (sourceBefore, targetBefore) = (source.bytes, target.bytes)
    try plan.blur(source.view.readOnly, into: target.view)
    require(source.bytes == sourceBefore, "\(what) wrote into its source")
    require(target.hasSameMargins(as: targetBefore), "\(what) wrote beside its pixels")

    let again = ExactBuffer(target.view.layout, &choices)
    try BlurPlan(kernel, for: layout, parameters).blur(source.view.readOnly, into: again.view)
    require(again.hasSamePixels(as: target), "\(what) gives other bits than on one thread")
    if kernel.worksInPlace && parameters.region == nil {
      try plan.blur(source.view.readOnly, into: source.view)
      require(source.hasSamePixels(as: target), "\(what) gives other bits in place")
    }
  }

  private var what: String { "\(kernel.name) \(layout) \(parameters) threads \(threads)" }
}
