/// The triple box for float formats, without subtraction: nothing drifts, and NaN stays inside its window.
///
/// Source: van Herk, "A fast algorithm for local minimum and maximum filters", 1992, and Gil and Werman,
/// 1993, with a sum in place of the extremum: the line is cut in blocks as long as the window, and each
/// window is the end of one block plus the start of the next. Three additions per sample for any size.
///
/// The first phase works down groups of columns into an intermediate image, the second along rows.
struct BoxTripleFloat: BoxAlgorithm {
  /// Columns are taken this many components at a time.
  private typealias Group = SIMD8<Double>

  let frame: BoxFrame

  private var groups: Int { (columnComponents + Group.scalarCount - 1) / Group.scalarCount }

  var phases: [Phase] { [Phase(units: groups), Phase(units: region.height)] }

  /// The intermediate image: group after group, each with its part of all wanted rows.
  var sharedBytes: Int { groups * region.height * Group.scalarCount * MemoryLayout<Float>.stride }

  /// A group's column or a row's line, and a block of sums.
  var scratchBytes: Int {
    let column = (region.height + 2 * down.radius + down.once) * MemoryLayout<Group>.stride
    let row = (line.positions.count + across.once) * MemoryLayout<SIMD4<Double>>.stride
    return max(column, row)
  }

  func run(_ phase: Int, _ units: Range<Int>, _ buffers: BlurBuffers) {
    for unit in units {
      switch (phase, format.channels) {
      case (0, _): blurColumns(unit, buffers)
      case (_, 1): blurRow(unit, buffers, Double.self)
      default: blurRow(unit, buffers, SIMD4<Double>.self)
      }
    }
  }

  private func blurColumns(_ group: Int, _ buffers: BlurBuffers) {
    let lanes = Group.scalarCount
    let first = line.columns.lowerBound * format.channels + group * lanes
    let lanesUsed = min(lanes, columnComponents - group * lanes)
    // SAFETY: `scratchBytes` reserves the rows of the window and the region, and a block after them.
    let column = buffers.scratch.assumingMemoryBound(to: Group.self)
    let count = region.height + 2 * down.radius
    for i in 0..<count {
      let row = rows.row(at: region.y - down.radius + i, of: buffers.source)
      var value = Group.zero
      for lane in 0..<lanesUsed { value[lane] = row.component(first + lane, as: Float.self).number }
      column[i] = value
    }
    down.blur(column, count: count, block: column + count)
    // SAFETY: `sharedBytes` reserves `region.height` groups of floats for each group of columns.
    let target =
      buffers.shared.assumingMemoryBound(to: SIMD8<Float>.self) + group * region.height
    for y in 0..<region.height {
      for lane in 0..<lanes { target[y][lane] = Float(column[y][lane]) }
    }
  }

  @inline(__always)
  private func blurRow<Pixel: BoxPixel>(_ y: Int, _ buffers: BlurBuffers, _ type: Pixel.Type) {
    // SAFETY: phase 0 filled the shared image, and `scratchBytes` reserves the line and a block after it.
    let groups = buffers.shared.assumingMemoryBound(to: SIMD8<Float>.self)
    let pixels = buffers.scratch.assumingMemoryBound(to: Pixel.self)
    let first = line.offset(of: line.columns.lowerBound)
    for x in 0..<line.columns.count {
      pixels[first + x] = Pixel { c in
        let i = x * format.channels + c
        return groups[i / Group.scalarCount * region.height + y][i % Group.scalarCount]
      }
    }
    line.fill(pixels, channels: 1) { _ in Pixel { edge.constant($0, in: format) } }
    let start = pixels + line.offset(of: region.x - across.radius)
    across.blur(start, count: region.width + 2 * across.radius, block: pixels + line.positions.count)
    let target = buffers.destination.row(y)
    for x in 0..<region.width {
      for c in 0..<format.channels {
        target.setComponent(x * format.channels + c, to: Float(start[x].channel(c)))
      }
    }
  }
}

extension BoxSizes {
  /// Replaces a line of `count` values by its three box means, which are 2 · radius fewer.
  @inline(__always)
  fileprivate func blur<V: BoxSummable>(
    _ line: UnsafeMutablePointer<V>, count: Int, block: UnsafeMutablePointer<V>
  ) {
    var count = count
    for size in [twice, twice, once] where size > 1 {
      boxMeans(line, count: count, size: size, block: block)
      count -= size - 1
    }
  }

  /// Replaces each value by the mean of the `size` values that start there. `block` holds `size` values.
  @inline(__always)
  private func boxMeans<V: BoxSummable>(
    _ line: UnsafeMutablePointer<V>, count: Int, size: Int, block: UnsafeMutablePointer<V>
  ) {
    let results = count - size + 1
    let weight = 1 / Double(size)
    for start in stride(from: 0, to: results, by: size) {
      // SAFETY: a result at `start` means that its whole window, one block, is inside the line.
      var ending = V.zero
      for i in (0..<size).reversed() {
        ending = ending + line[start + i]
        block[i] = ending
      }
      var beginning = V.zero
      for i in 0..<min(size, results - start) {
        if i > 0 { beginning = beginning + line[start + size + i - 1] }
        line[start + i] = (block[i] + beginning).scaled(by: weight)
      }
    }
  }
}

/// What boxes can sum: one number, or several side by side.
private protocol BoxSummable: BitwiseCopyable {
  static var zero: Self { get }
  static func + (a: Self, b: Self) -> Self
  func scaled(by factor: Double) -> Self
}

/// One pixel of a line: a number for gray, four for rgba.
private protocol BoxPixel: BoxSummable {
  init(_ channel: (Int) -> Float)
  func channel(_ c: Int) -> Double
}

extension Double: BoxPixel {
  @inline(__always) fileprivate init(_ channel: (Int) -> Float) { self = Double(channel(0)) }
  @inline(__always) fileprivate func channel(_ c: Int) -> Double { self }
  @inline(__always) fileprivate func scaled(by factor: Double) -> Double { self * factor }
}

extension SIMD4<Double>: BoxPixel {
  @inline(__always) fileprivate init(_ channel: (Int) -> Float) {
    self.init(Double(channel(0)), Double(channel(1)), Double(channel(2)), Double(channel(3)))
  }
  @inline(__always) fileprivate func channel(_ c: Int) -> Double { self[c] }
}

extension SIMD4<Double>: BoxSummable {
  @inline(__always) fileprivate func scaled(by factor: Double) -> Self { self * factor }
}

extension SIMD8<Double>: BoxSummable {
  @inline(__always) fileprivate func scaled(by factor: Double) -> Self { self * factor }
}
