import BlurLoopTable
import CBlurVectors

/// Three box filters, applied one after another: the approximation that the SVG filter specification allows
/// for feGaussianBlur.
///
/// Source: W3C Filter Effects 1, `<feGaussianBlur>`: the box size is d = ⌊σ·3√(2π)/4 + ½⌋. If d is odd, there
/// are three boxes of size d. If d is even, there are two boxes of size d, shifted by half a pixel in
/// opposite directions, and one box of size d + 1. The image is extended beyond its edges only once, before
/// the first box.
///
/// Integer formats use Hogenauer's cascade ("An economical class of digital filters for decimation and
/// interpolation", 1981). It adds and subtracts six samples for each result, and sums the differences three
/// times. Intermediate sums may overflow and wrap around, but the final sum is exact, because it fits in the
/// integer type. Only the final sum is divided. The cost does not depend on sigma.
///
/// In float formats, a running sum would collect rounding errors and carry NaN to the end of the row. If the
/// boxes are small, the three boxes together are applied as a single window of weights, in the same way as in
/// the kernel `simd`. In this case, samples above 2¹²⁷ may become infinite. For larger boxes,
/// ``BoxTripleFloat`` has a different algorithm, whose cost does not depend on sigma.
struct BoxTriple: BlurKernel {
  let name = "box-triple"
  let summary = "the three W3C box filters, with running sums; large sigmas cost no more than small ones"
  let promise = Promise.specification("W3C triple box")
  let instructionSets = InstructionSet.allCases

  func plan(_ problem: BlurProblem) throws(BlurError) -> any Plan {
    let frame = try BoxFrame(problem)
    guard frame.format.component == .float32 else { return try BoxTripleInteger(frame, problem.layout) }
    if frame.across.radius + frame.down.radius <= Self.longestWindows {
      let window = BlurWindow(across: frame.across.window, down: frame.down.window)
      return try WindowPlan(problem, window, cost: cost(problem))
    }
    return BoxTripleFloat(frame: frame)
  }

  /// In float formats, the boxes are applied as windows of weights if the radii along the two axes add up to
  /// at most this number. Up to this sum, windows were measured to be faster than ``BoxTripleFloat``.
  private static let longestWindows = 48
}

/// The data that the integer plan and the float plan of the triple box have in common: the image, its edges,
/// and the box sizes along each axis.
struct BoxFrame: Sendable {
  let format: PixelFormat
  let region: Region
  let edge: EdgeMode
  let rows: EdgeRows
  /// The layout of the line of vertical sums that the vertical pass writes and the horizontal pass reads. The
  /// line consists of vectors, called steps. Each step holds 16 values that come from several rows; see
  /// `BlurSums.h`.
  let line: PaddedLine
  /// The number of components that a step (a vector of 16 values from several rows) takes from each row. It
  /// is 4 in rgba formats, where a step holds whole pixels, and 1 in gray and rgb formats.
  let stepChannels: Int
  /// The number of steps (vectors of 16 values) that hold one pixel column of a block of rows. It is 3 in rgb
  /// formats, because each channel has a step of its own, and 1 in all other formats.
  let pixelSteps: Int
  let across: BoxSizes
  let down: BoxSizes
  let loops: BoxLoops

  init(_ problem: BlurProblem) throws(BlurError) {
    try self.init(problem, across: BoxSizes(sigma: problem.sigma.x), down: BoxSizes(sigma: problem.sigma.y))
  }

  /// Prepares a blur with the given box sizes along the rows (`across`) and along the columns (`down`). These
  /// sizes are used instead of the sizes that would follow from the sigma of the problem.
  init(_ problem: BlurProblem, across: BoxSizes, down: BoxSizes) throws(BlurError) {
    let layout = problem.layout
    format = layout.format
    region = problem.region
    edge = problem.edge
    rows = try EdgeRows(edge, layout: layout)
    self.across = across
    self.down = down
    stepChannels = format.channels == 4 ? 4 : 1
    pixelSteps = format.channels / stepChannels
    line = PaddedLine(
      region.columns, radius: across.radius, width: layout.width, edge: edge, channels: pixelSteps)
    loops = problem.instructionSet.loops.box
  }

  var columnComponents: Int { line.columns.count * format.channels }

  /// The number of rows in a block, which is a group of rows that are blurred together. Each vector of 16
  /// values holds values from all rows of the block.
  var rowsPerBlock: Int { 16 / stepChannels }

  /// The number of neighbouring pixels that the horizontal pass processes at a time. It first computes the
  /// sums for all of these pixels, and then writes their results. Only the plan for integer formats uses this
  /// number.
  var chunkColumns: Int { Int(blur_chunk_steps) / (16 * pixelSteps) * 16 }

  /// The part of the source image that is needed to blur the region: the region itself and the pixels in the
  /// windows around it.
  var reads: Region {
    Region(columns: line.columns, rows: rows.span(of: region.rows.widened(by: down.radius)))
  }
}

/// The sizes of the three boxes along one axis: two boxes of size `twice`, and one of size `once`.
struct BoxSizes: Hashable, Sendable {
  let twice: Int
  let once: Int

  init(sigma: Double) {
    let size = Int(sigma * 3 * (2 * Double.pi).squareRoot() / 4 + 0.5)
    twice = max(1, size)
    once = size % 2 == 0 && size > 0 ? size + 1 : twice
  }

  /// Creates the sizes for blurring with only one box, which must have an odd size. The other two boxes get
  /// the size 1, so they change nothing.
  init(single size: Int) {
    twice = 1
    once = size
  }

  /// The radius of the window that the three boxes form together. This window always has an odd length.
  var radius: Int { (2 * twice + once - 3) / 2 }

  /// The weights of the window that the three boxes form together, from its centre to one end.
  var window: [Double] {
    var sums = [1]
    for size in [twice, twice, once] {
      // Each new sum covers `size` neighbouring old sums.
      let padded = [Int](repeating: 0, count: size - 1) + sums + [Int](repeating: 0, count: size - 1)
      sums = (0..<sums.count + size - 1).map { padded[$0..<$0 + size].reduce(0, +) }
    }
    return sums[radius...].map { Double($0) / Double(gain) }
  }

  /// The sum of the weights in the combined window of the three boxes. For this sum, each box only adds up
  /// its samples and does not divide the result by its size.
  var gain: UInt64 { UInt64(twice) * UInt64(twice) * UInt64(once) }

  /// The distance in samples between the newest and the oldest sample that Hogenauer's cascade reads for one
  /// result. The cascade delays samples by the size of each of the three boxes, so the distance is the sum of
  /// these sizes.
  var delay: Int { 2 * twice + once }
}
