import BlurLoopTable
import CBlurVectors

/// The triple box in integers, one block of rows after the other: running sums down the columns go into a
/// line of steps, which stays in the cache, and running sums along the line give the block's rows.
///
/// A step holds one column of 16 rows of gray, or one pixel of four rows of rgba, so that the horizontal pass
/// has as many lanes as the vertical one. A pixel of three channels is three steps, each as of gray. The
/// inner loops are in `Sources/BlurLoops`.
final class BoxTripleInteger: Plan {
  /// One step: 32 bits of each of its 16 values.
  typealias Step = SIMD16<Int32>

  let frame: BoxFrame
  private let scale: BoxScale
  private let memoryPlan: BoxMemoryPlan
  private let zeros: AlignedBuffer
  /// The steps of a constant pixel.
  private let constants: [(low: Step, high: Step)]

  init(_ frame: BoxFrame, _ layout: ImageLayout) throws(BlurError) {
    self.frame = frame
    scale = BoxScale(layout.format, across: frame.across, down: frame.down)
    memoryPlan = BoxMemoryPlan(frame, limbs: scale.needsLimbs ? 2 : 1)
    zeros = try AlignedBuffer(byteCount: layout.rowBytes, zeroed: true)
    constants = (0..<frame.pixelSteps).map { [scale] first in
      var constant = (low: Step.zero, high: Step.zero)
      for i in 0..<Step.scalarCount {
        let value = scale.constant(frame.edge.constant(first + i % frame.stepChannels, in: layout.format))
        constant.low[i] = Int32(value.low)
        constant.high[i] = Int32(value.high)
      }
      return constant
    }
  }

  var facts: PlanFacts {
    PlanFacts(
      phases: [Phase(units: frame.region.height, grain: frame.rowsPerBlock, overlap: 2 * frame.down.radius)],
      scratchBytes: memoryPlan.bytes, reads: frame.reads, arithmetic: "sums", hasRowEpilogue: true,
      blockColumns: frame.chunkColumns, blockRows: frame.rowsPerBlock)
  }

  func run(_ phase: Int, _ units: Range<Int>, _ buffers: PhaseContext) {
    let memory = BoxMemory(buffers.scratch, memoryPlan)
    memory.clear()
    // The window of the first row fills during whole blocks.
    let filling = (2 * frame.down.radius + frame.rowsPerBlock - 1) / frame.rowsPerBlock * frame.rowsPerBlock
    for y in stride(from: units.lowerBound - filling, to: units.upperBound, by: frame.rowsPerBlock) {
      collectTaps(around: y, for: units, buffers.source, into: memory.taps)
      sumDown(memory, isFilling: y < units.lowerBound)
      guard y >= units.lowerBound else { continue }
      frame.line.fill(memory.low) { constants[$0].low }
      if scale.needsLimbs { frame.line.fill(memory.high) { constants[$0].high } }
      let wanted = y..<min(y + frame.rowsPerBlock, units.upperBound)
      sumAcross(memory, wanted, buffers.destination)
      buffers.finished(wanted)
    }
  }

  /// The addresses of the rows that a block takes in, `down.radius` below those it gives, and of those at the
  /// delays of (1 − zᵈ)²(1 − zᵉ). Rows outside the windows of the rows `units` are zero: above for the sums
  /// to begin, below because the block's last rows may not be wanted.
  private func collectTaps(
    around y: Int, for units: Range<Int>, _ source: ImageView,
    into taps: UnsafeMutablePointer<UnsafeRawPointer>
  ) {
    let skipped = frame.line.columns.lowerBound * frame.format.bytesPerPixel
    let windows = units.widened(by: frame.down.radius)
    for i in 0..<frame.rowsPerBlock {
      func row(_ delay: Int) -> UnsafeRawPointer {
        let wanted = y + i + frame.down.radius - delay
        let row =
          windows.contains(wanted)
          ? frame.rows.row(at: frame.region.y + wanted, of: source) : UnsafeRawPointer(zeros.base)
        return row + skipped
      }
      let (d, e) = (frame.down.twice, frame.down.once)
      // SAFETY: there are six addresses for each row of a block.
      let tap = taps + 6 * i
      (tap[0], tap[1], tap[2]) = (row(0), row(d), row(e))
      (tap[3], tap[4], tap[5]) = (row(2 * d), row(d + e), row(2 * d + e))
    }
  }

  private func sumDown(_ memory: BoxMemory, isFilling: Bool) {
    let first = frame.line.offset(of: frame.line.columns.lowerBound) * frame.pixelSteps
    let block: BoxDown = (
      taps: UnsafePointer(memory.taps), bytes: frame.format.component.bytes, channels: frame.stepChannels,
      count: frame.columnComponents, sums: memory.sums,
      low: isFilling ? nil : UnsafeMutableRawPointer(memory.low + first),
      high: isFilling ? nil : UnsafeMutableRawPointer(memory.high + first), shift: scale.shift
    )
    if scale.needsLimbs { frame.loops.down64(block) } else { frame.loops.down32(block) }
  }

  private func sumAcross(_ memory: BoxMemory, _ wanted: Range<Int>, _ destination: MutableImageView) {
    // SAFETY: there are as many targets as a block has rows.
    for (i, y) in wanted.enumerated() { memory.targets[i] = destination.row(y) }
    let steps: BoxAcross = (
      line: (
        steps: UnsafeRawPointer(memory.low), targets: UnsafePointer(memory.targets), rows: wanted.count,
        bytes: frame.format.component.bytes, channels: frame.stepChannels,
        count: frame.region.width * frame.pixelSteps
      ),
      high: scale.needsLimbs ? UnsafeRawPointer(memory.high) : nil, stride: frame.pixelSteps,
      twice: frame.across.twice, once: frame.across.once,
      lead: (frame.line.offset(of: frame.region.x) + frame.across.radius) * frame.pixelSteps,
      scale: scale.scale, bias: scale.bias, half: scale.half, reciprocal: scale.reciprocal,
      shift: scale.reciprocalShift, scratch: memory.chunk
    )
    if scale.fits32 { frame.loops.across32(steps) } else { frame.loops.across64(steps) }
  }
}

/// How sums are stored between the passes, and the one division at the end.
private struct BoxScale: Sendable {
  /// Whether the sums down the columns take two limbs; otherwise they, and their differences, fit 32 bits.
  let needsLimbs: Bool
  /// Whether the sums of both passes fit 31 bits, in one limb.
  let fits32: Bool
  /// Places that sums down the columns lose so that the others fit 63 bits: 0 up to sigmas in the hundreds.
  let shift: UInt64
  /// A result is the whole part of sum · scale + bias. The bias is half a level and a quarter of the sums'
  /// unit, which no rounding error of the product reaches: ties go up, exactly.
  let scale: Double
  let bias: Double
  /// Where `fits32`: a result is (sum + half) · reciprocal / 2ˢʰⁱᶠᵗ, without its fraction. The reciprocal is
  /// rounded up and has 32 bits, enough to be exact for all sums of 31.
  let half: UInt32
  let reciprocal: UInt32
  let reciprocalShift: UInt64
  private let gain: UInt64

  init(_ format: PixelFormat, across: BoxSizes, down: BoxSizes) {
    gain = down.gain
    let gains = Double(down.gain) * Double(across.gain)
    needsLimbs = format.fullScale * Double(down.gain) >= 0x1p29
    fits32 = !needsLimbs && (format.fullScale + 0.5) * gains < 0x1p31
    shift = UInt64(max(0, (format.fullScale * gains).exponent - 62))
    scale = Double(1 << shift) / gains
    bias = 0.5 + scale / 4
    let divisor = fits32 ? down.gain * across.gain : 1
    half = UInt32(divisor / 2)
    // The largest power of two below 2³² times the divisor.
    reciprocalShift = UInt64(63 - (divisor << 32 - 1).leadingZeroBitCount)
    reciprocal = UInt32((1 << reciprocalShift - 1) / divisor + 1)
  }

  /// A source value as it stands in the line.
  func constant(_ value: Float) -> (low: UInt64, high: UInt64) {
    let sum = (UInt64(value) * gain + (1 << shift) >> 1) >> shift
    return needsLimbs ? (sum & (1 << UInt64(blur_limb_bits) - 1), sum >> UInt64(blur_limb_bits)) : (sum, 0)
  }
}

/// The parts of a thread's scratch, each at a multiple of 64 bytes.
private struct BoxMemory {
  typealias Step = BoxTripleInteger.Step

  private let base: UnsafeMutableRawPointer
  private let plan: BoxMemoryPlan

  init(_ base: UnsafeMutableRawPointer, _ plan: BoxMemoryPlan) {
    self.base = base
    self.plan = plan
  }

  /// The addresses of a block's rows, six for each.
  var taps: UnsafeMutablePointer<UnsafeRawPointer> { part(0) }
  /// The addresses of the rows a block writes.
  var targets: UnsafeMutablePointer<UnsafeMutableRawPointer> { part(plan.targets) }
  /// The horizontal pass's own.
  var chunk: UnsafeMutableRawPointer { base + plan.chunk }
  /// The columns' sums.
  var sums: UnsafeMutableRawPointer { base + plan.sums }
  /// The line's first step, and its upper limb; zeros stand before both.
  var low: UnsafeMutablePointer<Step> { part(plan.low) }
  var high: UnsafeMutablePointer<Step> { part(plan.high) }

  /// Starts anew: no sums, and zeros before the line.
  func clear() {
    sums.initializeMemory(as: UInt8.self, repeating: 0, count: plan.sumsBytes)
    (low - plan.zeros).update(repeating: .zero, count: plan.zeros)
    if plan.high != plan.low { (high - plan.zeros).update(repeating: .zero, count: plan.zeros) }
  }

  private func part<T>(_ offset: Int) -> UnsafeMutablePointer<T> {
    // SAFETY: a thread's scratch has the plan's bytes.
    (base + offset).assumingMemoryBound(to: T.self)
  }
}

/// Where the parts of a thread's scratch begin.
private struct BoxMemoryPlan: Sendable {
  let targets, chunk, sums, sumsBytes, low, high, zeros, bytes: Int

  init(_ frame: BoxFrame, limbs: Int) {
    let (step, address) = (MemoryLayout<BoxTripleInteger.Step>.stride, MemoryLayout<UnsafeRawPointer>.stride)
    targets = 6 * BoxTripleInteger.Step.scalarCount * address
    chunk = targets + BoxTripleInteger.Step.scalarCount * address
    sums = chunk + blur_chunk_bytes
    // Three sums for each column, and those of one vector beyond.
    let columns = frame.line.columns.count * frame.format.channels + BoxLoops.slack
    sumsBytes = (3 * columns * limbs * MemoryLayout<Int32>.stride + step - 1) / step * step
    zeros = frame.across.delay * frame.pixelSteps
    let lineBytes = (zeros + frame.line.positions.count * frame.pixelSteps + BoxLoops.slack) * step
    low = sums + sumsBytes + zeros * step
    high = low + (limbs - 1) * lineBytes
    bytes = sums + sumsBytes + limbs * lineBytes
  }
}
