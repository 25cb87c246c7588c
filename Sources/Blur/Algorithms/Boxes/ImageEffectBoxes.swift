/// Three equal boxes of odd size, with rounding to 8 bits after each box. Apple's sample code for image
/// effects blurred images in this way in 2013.
///
/// For sigma s along an axis, the size of a box is d = ⌊s·3√(2π)/4 + ½⌋, plus 1 if this number is even. The
/// size is dˣ along rows and dʸ along columns. Each pixel is replaced three times by the mean of the dˣ × dʸ
/// pixels around it. The mean is rounded to nearest: ⌊(sum + ⌊dˣdʸ/2⌋) / dˣdʸ⌋. There are no ties, because
/// dˣdʸ is odd.
///
/// The other box kernels round only once, and extend the image beyond its edges only once. This kernel rounds
/// after each box, and extends the image before each box.
///
/// Source: the sample code UIImage+ImageEffects of 2013, which calls a box convolution over a square three
/// times. The formula for the size of the boxes comes from the W3C specification of `<feGaussianBlur>`.
///
/// Each box is computed by the inner loop of the kernel `box-triple`, which applies three boxes. Two of these
/// three boxes get the size 1, and so change nothing. The results of the first and of the second box are
/// stored in the shared memory.
struct ImageEffectBoxes: BlurKernel {
  let name = "image-effect-boxes"
  let summary = "three equal boxes of odd width, each rounded to 8 bits, as in Apple's 2013 image effects"
  let promise = Promise.specification("image effect boxes")
  let instructionSets = InstructionSet.allCases

  func plan(_ problem: BlurProblem) throws(BlurError) -> any Plan {
    let format = problem.layout.format
    guard format.component == .uint8 else {
      throw .unsupported(kernel: name, reason: "format \(format.rawValue) (only 8-bit formats)")
    }
    guard problem.edge == .clamp else {
      throw .unsupported(kernel: name, reason: "edge \(problem.edge.name) (only clamp)")
    }
    return try ImageEffectBoxesPlan(problem)
  }
}

private final class ImageEffectBoxesPlan: Plan {
  private let stages: [BoxTripleInteger]
  /// The layouts of the two intermediate images: the result of the first box and the result of the second
  /// box. Both images are stored in the shared memory, one after the other.
  private let between: [ImageLayout]
  private let read: Region

  init(_ problem: BlurProblem) throws(BlurError) {
    let layout = problem.layout
    let across = BoxSizes(single: Self.size(problem.sigma.x))
    let down = BoxSizes(single: Self.size(problem.sigma.y))
    // The result of the last box is the wanted region. Each box reads a larger region than it writes, so the
    // loop works backwards from the result to the source image.
    var made = [problem.region]
    for _ in 0..<3 { made.insert(made[0].widened(across.radius, down.radius, in: layout), at: 0) }
    read = made[0]
    var (stages, between) = ([BoxTripleInteger](), [ImageLayout]())
    for stage in 0..<3 {
      // The first box reads the source image. The second box reads the result of the first, and the third box
      // reads the result of the second.
      let source = stage == 0 ? layout.bounds : made[stage]
      var own = problem
      own.region = made[stage + 1].moved(-source.x, -source.y)
      if stage > 0 {
        own.layout = try ImageLayout(layout.format, width: source.width, height: source.height)
        between.append(own.layout)
      }
      let frame = try BoxFrame(own, across: across, down: down)
      stages.append(try BoxTripleInteger(frame, own.layout))
    }
    (self.stages, self.between) = (stages, between)
  }

  /// Returns the size of the boxes along an axis, in pixels. It is always odd.
  private static func size(_ sigma: Double) -> Int {
    let size = Int(sigma * 3 * (2 * Double.pi).squareRoot() / 4 + 0.5)
    return size | 1
  }

  var facts: PlanFacts {
    let facts = stages.map { $0.facts }
    return PlanFacts(
      phases: facts.flatMap { $0.phases }, sharedBytes: Self.room(between[0]) + Self.room(between[1]),
      scratchBytes: facts.reduce(0) { max($0, $1.scratchBytes) }, reads: read, arithmetic: "sums",
      hasRowEpilogue: true, blockColumns: facts[0].blockColumns, blockRows: facts[0].blockRows)
  }

  func run(_ phase: Int, _ units: Range<Int>, _ buffers: PhaseContext) {
    let source = phase == 0 ? buffers.source : view(phase - 1, buffers).readOnly
    let target = phase == 2 ? buffers.destination : view(phase, buffers)
    stages[phase].run(
      0, units,
      PhaseContext(
        source: source, destination: target, shared: buffers.shared, scratch: buffers.scratch,
        epilogue: phase == 2 ? buffers.epilogue : nil, failure: buffers.failure,
        thresholds: buffers.thresholds))
  }

  /// Returns a view of an intermediate image: the result of the first box if `stage` is 0, or of the second
  /// box if it is 1.
  private func view(_ stage: Int, _ buffers: PhaseContext) -> MutableImageView {
    // SAFETY: the shared memory has `sharedBytes` bytes, which are enough for the two images one after the
    // other. The second image begins after the bytes of the first, rounded up to whole cache lines.
    MutableImageView(buffers.shared + (stage == 0 ? 0 : Self.room(between[0])), between[stage])
  }

  /// Returns the number of bytes of an image, rounded up to whole cache lines.
  private static func room(_ layout: ImageLayout) -> Int { AlignedBuffer.roundedUp(layout.byteCount) }
}

extension Region {
  /// Returns the region, widened by `x` columns on the left and on the right, and by `y` rows at the top and
  /// at the bottom. The widened region is cut off at the edges of the image.
  fileprivate func widened(_ x: Int, _ y: Int, in layout: ImageLayout) -> Region {
    Region(
      columns: columns.widened(by: x).clamped(to: 0..<layout.width),
      rows: rows.widened(by: y).clamped(to: 0..<layout.height))
  }

  fileprivate func moved(_ x: Int, _ y: Int) -> Region {
    Region(x: self.x + x, y: self.y + y, width: width, height: height)
  }
}
