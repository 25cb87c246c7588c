import BlurLoopTable
import CBlurVectors

/// The triple box (three box filters, applied one after the other) for integer formats. The image is
/// processed in blocks, which are groups of rows. For each block, running sums down the columns first produce
/// one line of vectors, which stays in the cache. Running sums along this line then give the rows of the
/// result.
///
/// A vector of the line is called a step, and holds 16 values from the same column of several rows. In gray
/// formats, these are one value from each of 16 rows. In rgba formats, they are one pixel from each of four
/// rows. In rgb formats, they are one channel from each of 16 rows, so each column takes three steps. The
/// horizontal pass can therefore use as many vector lanes as the vertical pass. The inner loops are in
/// `Sources/BlurLoops`.
final class BoxTripleInteger: Plan {
  /// A vector of sixteen 32-bit values that come from several rows.
  typealias Step = SIMD16<Int32>

  let frame: BoxFrame
  private let scale: BoxScale
  private let memoryPlan: BoxMemoryPlan
  private let zeros: AlignedBuffer
  /// The constant colour, which surrounds the image in the constant edge mode. Like the pixels of the image,
  /// it is stored in vectors of 16 values. Each value is split into a low and a high part, called limbs.
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
    // The running sums start at zero, so they are complete only after they have added up all rows of a
    // window. The loop therefore begins a few blocks above the wanted rows. It writes no results for these
    // additional blocks.
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

  /// Collects the addresses of the source rows that the vertical running sums need for the block of rows that
  /// begins with row `y`.
  ///
  /// A running sum over a box is updated with two rows: the row that enters the box is added, and the row
  /// that leaves it is subtracted. For the three boxes together, each output row of the block needs six
  /// source rows. The lowest of them is `down.radius` rows below the output row, and the other five are
  /// farther up. With box sizes d, d and e, the weights of the six rows are the coefficients of
  /// (1−zᵈ)²(1−zᵉ), where zⁿ stands for the row n rows above the lowest one.
  ///
  /// Source rows outside the windows of the wanted rows `units` are replaced by zeros. Above the windows, the
  /// zeros let the sums begin at zero. Below the windows, they affect only rows that are not wanted.
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
      // SAFETY: `taps` has space for six addresses for each row of a block. `i` is the index of a row in the
      // block, so the six addresses that start at index `6 * i` lie inside this memory.
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
    // SAFETY: the memory has one target address for each row of a block, and `wanted` has no more rows than a
    // block.
    for (i, y) in wanted.enumerated() { memory.targets[i] = destination.unsafeRow(y) }
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

/// The constants that scale the sums of a blur. They determine how the vertical sums are stored for the
/// horizontal pass, and how a final sum becomes a pixel value. The sums are divided only once, at the end of
/// the blur.
private struct BoxScale: Sendable {
  /// Whether each vertical sum is stored as two numbers, called limbs: one for its lower bits, and one for
  /// its upper bits. If this is false, all vertical sums and their differences fit in 32 bits.
  let needsLimbs: Bool
  /// Whether the sums of both passes fit in 31 bits, so that each sum can be stored as a single 32-bit
  /// number.
  let fits32: Bool
  /// The number of low bits that are dropped from the sums down the columns, so that the sums along the line
  /// fit in 63 bits. The number is 0 if sigma is below about 300 pixels in 8-bit formats, or below about 120
  /// pixels in 16-bit formats.
  let shift: UInt64
  /// The factor that turns a final sum into a pixel value. The pixel value is ⌊sum · scale + bias⌋.
  ///
  /// The bias is ½ + scale / 4. The ½ makes the result round to nearest. Ties must always be rounded up, even
  /// if the product is slightly too small. Therefore the bias also contains a quarter of `scale`, which is
  /// larger than any rounding error of the product.
  let scale: Double
  let bias: Double
  /// The constants for dividing a final sum with integer arithmetic, which is used if `fits32` is true. The
  /// pixel value is ⌊(sum + half) · reciprocal / 2ˢʰⁱᶠᵗ⌋. The reciprocal is rounded up to a 32-bit integer,
  /// which is precise enough to make the result exact for every 31-bit sum.
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
    // The shift is as large as possible while the reciprocal still fits in 32 bits: 2ˢʰⁱᶠᵗ is the largest
    // power of two below 2³² · divisor.
    reciprocalShift = UInt64(63 - (divisor << 32 - 1).leadingZeroBitCount)
    reciprocal = UInt32((1 << reciprocalShift - 1) / divisor + 1)
  }

  /// Returns the vertical sum over a window in which all pixels have the given value. The constant edge mode
  /// needs this sum for the columns beyond the left and right edges, where all pixels are equal. If
  /// `needsLimbs` is true, the sum is split into its lower and its upper bits. Otherwise `low` is the whole
  /// sum, and `high` is 0.
  func constant(_ value: Float) -> (low: UInt64, high: UInt64) {
    let sum = (UInt64(value) * gain + (1 << shift) >> 1) >> shift
    return needsLimbs ? (sum & (1 << UInt64(blur_limb_bits) - 1), sum >> UInt64(blur_limb_bits)) : (sum, 0)
  }
}

/// The arrays in a thread's scratch memory. Each array begins at a multiple of 64 bytes.
private struct BoxMemory {
  typealias Step = BoxTripleInteger.Step

  private let base: UnsafeMutableRawPointer
  private let plan: BoxMemoryPlan

  init(_ base: UnsafeMutableRawPointer, _ plan: BoxMemoryPlan) {
    self.base = base
    self.plan = plan
  }

  /// The addresses of the source rows that a block reads: six addresses for each row of the block.
  var taps: UnsafeMutablePointer<UnsafeRawPointer> { part(0) }
  /// The addresses of the rows that a block writes.
  var targets: UnsafeMutablePointer<UnsafeMutableRawPointer> { part(plan.targets) }
  /// The memory in which the horizontal pass stores its intermediate results.
  var chunk: UnsafeMutableRawPointer { base + plan.chunk }
  /// The running sums of the columns.
  var sums: UnsafeMutableRawPointer { base + plan.sums }
  /// The address of the line of vertical sums that the horizontal pass reads. If each sum is stored in two
  /// parts, `low` holds the lower parts and `high` holds the upper parts. The memory before each of the two
  /// addresses is filled with zeros.
  var low: UnsafeMutablePointer<Step> { part(plan.low) }
  var high: UnsafeMutablePointer<Step> { part(plan.high) }

  /// Sets all running sums to zero. It also fills the memory just before the line with zeros, because the
  /// horizontal pass reads values from before the start of the line.
  func clear() {
    sums.initializeMemory(as: UInt8.self, repeating: 0, count: plan.sumsBytes)
    (low - plan.zeros).update(repeating: .zero, count: plan.zeros)
    if plan.high != plan.low { (high - plan.zeros).update(repeating: .zero, count: plan.zeros) }
  }

  private func part<T>(_ offset: Int) -> UnsafeMutablePointer<T> {
    // SAFETY: the scratch memory of a thread has as many bytes as the memory plan asks for, and `offset` is
    // one of the offsets in this plan.
    (base + offset).assumingMemoryBound(to: T.self)
  }
}

/// The byte offsets of the arrays in a thread's scratch memory.
private struct BoxMemoryPlan: Sendable {
  let targets, chunk, sums, sumsBytes, low, high, zeros, bytes: Int

  init(_ frame: BoxFrame, limbs: Int) {
    let (step, address) = (MemoryLayout<BoxTripleInteger.Step>.stride, MemoryLayout<UnsafeRawPointer>.stride)
    targets = 6 * BoxTripleInteger.Step.scalarCount * address
    chunk = targets + BoxTripleInteger.Step.scalarCount * address
    sums = chunk + blur_chunk_bytes
    // The vertical pass keeps three sums for each component of a row, and processes the components in
    // vectors. The last vector of a row can overlap the vector before it, but its sums are stored separately.
    // The memory must therefore have space for one more vector of sums.
    let columns = frame.line.columns.count * frame.format.channels + BoxLoops.slack
    sumsBytes = (3 * columns * limbs * MemoryLayout<Int32>.stride + step - 1) / step * step
    zeros = frame.across.delay * frame.pixelSteps
    let lineBytes = (zeros + frame.line.positions.count * frame.pixelSteps + BoxLoops.slack) * step
    low = sums + sumsBytes + zeros * step
    high = low + (limbs - 1) * lineBytes
    bytes = sums + sumsBytes + limbs * lineBytes
  }
}
