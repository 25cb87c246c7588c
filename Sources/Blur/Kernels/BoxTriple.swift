import BlurLoopTable
import CBlurVectors

/// Three boxes in a row, the approximation that the SVG filter specification allows for feGaussianBlur.
///
/// Source: W3C Filter Effects 1, `<feGaussianBlur>`: d = ⌊σ·3√(2π)/4 + ½⌋; for odd d three boxes of size d;
/// for even d two of size d, half a pixel to either side, and one of size d + 1. The edge mode continues the
/// input, once. The cost does not depend on sigma.
///
/// Integer formats run as Hogenauer's cascade ("An economical class of digital filters for decimation and
/// interpolation", 1981): a difference of six samples, summed three times. Sums wrap around and are exact
/// all the same, because the result fits; they are divided once, at the end. Float formats, where a running
/// sum would drift and carry NaN to the end of the row, are in `BoxTripleFloat.swift`.
struct BoxTriple: BlurKernel {
  let name = "box-triple"
  let summary = "W3C triple box by running sums, cost independent of sigma"
  let promise = Promise.specification("W3C triple box")
  let instructionSets = InstructionSet.allCases

  func plan(_ problem: BlurProblem) throws(BlurError) -> any Plan {
    let frame = try BoxFrame(problem)
    return problem.layout.format.component == .float32
      ? BoxTripleFloat(frame: frame) : try BoxTripleInteger(frame, problem.layout)
  }
}

/// What both plans share: the image, its edges, and the boxes along each axis.
struct BoxFrame: Sendable {
  let format: PixelFormat
  let region: Region
  let edge: EdgeMode
  let rows: EdgeRows
  /// A line of steps.
  let line: PaddedLine
  /// Values of a row in a step: a whole rgba pixel, or one of gray or of three channels.
  let stepChannels: Int
  /// Steps of a pixel.
  let pixelSteps: Int
  let across: BoxSizes
  let down: BoxSizes
  let loops: BoxLoops

  init(_ problem: BlurProblem) throws(BlurError) {
    try self.init(problem, across: BoxSizes(sigma: problem.sigma.x), down: BoxSizes(sigma: problem.sigma.y))
  }

  /// A frame of these boxes, whatever sigma says.
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

  /// The rows whose values a step holds.
  var rowsPerBlock: Int { 16 / stepChannels }

  /// Pixels of a row that the horizontal pass sums at once, in integers.
  var chunkColumns: Int { Int(blur_chunk_steps) / (16 * pixelSteps) * 16 }

  /// The pixels that the windows of the region hold.
  var reads: Region {
    Region(columns: line.columns, rows: rows.span(of: region.rows.widened(by: down.radius)))
  }
}

/// The sizes of the three boxes along one axis: two of `twice` and one of `once`.
struct BoxSizes: Hashable, Sendable {
  let twice: Int
  let once: Int

  init(sigma: Double) {
    let size = Int(sigma * 3 * (2 * Double.pi).squareRoot() / 4 + 0.5)
    twice = max(1, size)
    once = size % 2 == 0 && size > 0 ? size + 1 : twice
  }

  /// One box of an odd size: the other two are of one sample.
  init(single size: Int) {
    twice = 1
    once = size
  }

  /// Taps to each side of the three boxes together, whose window is always odd.
  var radius: Int { (2 * twice + once - 3) / 2 }

  /// The sum of the weights when each box weighs its samples with 1.
  var gain: UInt64 { UInt64(twice) * UInt64(twice) * UInt64(once) }

  /// How far back the differences go: the sum of the three sizes.
  var delay: Int { 2 * twice + once }
}
