/// One row of intermediate values, continued to the left and right as the edge mode says, so that the
/// horizontal pass never asks where the image ends.
///
/// The line holds the pixels `positions`, in image coordinates. The vertical pass computes those in
/// `columns`, all that stand at any of them; ``fill(_:_:channels:constant:)`` copies them to the positions
/// outside the image.
struct PaddedLine: Sendable {
  /// Columns inside the image that must be computed.
  let columns: Range<Int>
  /// All pixels of the line: `columns` and the windows of the wanted pixels.
  let positions: Range<Int>
  /// What continues the image, counted from `positions`' first.
  private let runs: [PixelRun]

  /// A line for the windows that cover the pixels `support`, of an image with the columns `inside`.
  ///
  /// - Parameter pairs: whether pixels are taken in pairs: then the line begins with an even pixel, and so
  ///   does its computed part unless the image itself begins with an odd one.
  init(_ support: Range<Int>, inside: Range<Int>, edge: EdgeMode, pairs: Bool) {
    let start = inside.lowerBound
    let span = edge.span(of: support.lowerBound - start..<support.upperBound - start, count: inside.count)
    var needed = start + span.lowerBound..<start + span.upperBound
    var first = min(support.lowerBound, needed.lowerBound)
    if pairs {
      needed = max(needed.lowerBound & ~1, inside.lowerBound)..<needed.upperBound
      first = min(first, needed.lowerBound) & ~1
    }
    columns = needed
    positions = first..<max(support.upperBound, needed.upperBound)
    runs = PixelRun.all(
      support.lazy.filter { !inside.contains($0) }.map { position in
        let column = edge.index(of: position - start, count: inside.count)
        return (position - first, column.map { $0 + start - first })
      })
  }

  /// A line for the output pixels `wanted` of rows of `width` pixels and a window of `radius`.
  init(_ wanted: Range<Int>, radius: Int, width: Int, edge: EdgeMode) {
    self.init(wanted.widened(by: radius), inside: 0..<width, edge: edge, pairs: false)
  }

  /// The index of the pixel at `position` in a line.
  func offset(of position: Int) -> Int { position - positions.lowerBound }

  /// Fills the pixels outside the image of a line whose `columns` are computed.
  @inline(__always)
  func fill<Value: BitwiseCopyable>(
    _ line: UnsafeMutablePointer<Value>, _ order: LineOrder = .pixels, channels: Int,
    constant: (Int) -> Value
  ) {
    // SAFETY: `positions` covers both pixels of each pair, and the line holds `positions.count` pixels.
    let pitch = order.valuePitch(channels)
    let isPlain = order.isPlain(channels)
    for run in runs {
      var run = run
      if run.column == nil {
        // A pixel of the constant, which the others repeat.
        let first = run.positions.lowerBound
        for c in 0..<channels { line[order.index(first, c, channels)] = constant(c) }
        run = PixelRun(positions: first + 1..<run.positions.upperBound, column: first, step: 0)
      }
      if run.positions.count > Self.few {
        for number in 0..<order.strands(channels) { line.copy(order.strand(number, of: run, channels)) }
        continue
      }
      var (target, source) = (run.positions.lowerBound, run.column!)
      if isPlain {
        while target < run.positions.upperBound {
          line[target] = line[source]
          (target, source) = (target &+ 1, source &+ run.step)
        }
        continue
      }
      while target < run.positions.upperBound {
        let (to, from) = (order.index(target, 0, channels), order.index(source, 0, channels))
        for c in 0..<channels { line[to + c * pitch] = line[from + c * pitch] }
        (target, source) = (target &+ 1, source &+ run.step)
      }
    }
  }

  /// Up to this many pixels, copying one by one is faster than by strands.
  private static let few = 8

  /// The same for pixels of many values, which are copied whole, that of the constant from `constant`.
  func fill(_ line: UnsafeMutablePointer<Float>, values: Int, constant: UnsafePointer<Float>) {
    for run in runs {
      for (i, position) in run.positions.enumerated() {
        // SAFETY: as above; `constant` holds a pixel.
        let source = run.column.map { UnsafePointer(line + ($0 + i * run.step) * values) } ?? constant
        (line + position * values).update(from: source, count: values)
      }
    }
  }
}

extension EdgeMode {
  /// Channel `c` of the constant pixel as components of that type store it.
  func constant(_ c: Int, of component: PixelFormat.Component) -> Float {
    guard case .constant(let value) = self else { return 0 }
    switch component {
    case .uint8: return UInt8(rounding: value[c]).single
    case .uint16: return UInt16(rounding: value[c]).single
    case .float32: return value[c]
    }
  }

  /// Channel `c` of the constant pixel as `format` stores it.
  package func constant(_ c: Int, in format: PixelFormat) -> Float { constant(c, of: format.component) }
}
