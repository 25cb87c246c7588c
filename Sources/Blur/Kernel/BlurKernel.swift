/// A blur algorithm.
///
/// An instance is a plan, see ``PlannedBlur``. To add a kernel, write a file in `Kernels/` and a line in
/// `Registry.swift`; docs/ADDING-A-KERNEL.md shows how.
public protocol BlurKernel: PlannedBlur {
  /// The stable name on the command line and in records, such as `box-triple`.
  static var name: String { get }
  /// One line that says what the algorithm is.
  static var summary: String { get }
  /// What the kernel claims about its error.
  static var promise: Promise { get }
  /// The instruction sets the kernel has code for; the executor picks the widest that is allowed.
  static var instructionSets: [InstructionSet] { get }
  /// Whether source and destination may be the same buffer.
  static var worksInPlace: Bool { get }

  /// Plans for images of `layout`. `parameters.region` is inside the image or nil;
  /// `parameters.instructionSet` is one of ``instructionSets`` and available.
  ///
  /// - Throws: ``BlurError/unsupported(kernel:reason:)`` for what the kernel refuses.
  init(_ parameters: BlurParameters, layout: ImageLayout) throws(BlurError)
}

extension BlurKernel {
  public static var instructionSets: [InstructionSet] { [.baseline] }
  public static var worksInPlace: Bool { false }
}

/// A blur planned for one layout and one set of parameters: weights and tables, immutable and shared by all
/// threads.
///
/// The executor hands it the buffers and decides which thread does which rows. It never allocates while
/// blurring, never writes padding, and gives the same bits however its units are divided.
public protocol PlannedBlur: Sendable {
  /// The steps of one blur, in order; each ends on all threads before the next begins.
  var phases: [Phase] { get }
  /// Bytes of scratch shared by all threads and kept between phases.
  var sharedBytes: Int { get }
  /// Bytes of scratch each thread has to itself within a phase.
  var scratchBytes: Int { get }

  /// The smallest rectangle of the source that holds every pixel read for the wanted region, or nil where the
  /// kernel does not say: then it is the whole image. A tile of an image is blurred from these pixels alone.
  var reads: Region? { get }

  /// Whether a region has the very bits of that part of the whole result. Not where float sums begin elsewhere.
  var isSameByRegion: Bool { get }

  /// Does the units `units` of phase number `phase`.
  func run(_ phase: Int, _ units: Range<Int>, _ buffers: BlurBuffers)

  /// Whether the kernel calls ``BlurBuffers/finished(_:)`` for each row of the region, once it is written. Otherwise
  /// rows are finished when the blur is over.
  var finishesRows: Bool { get }

  /// Whether a blur is done before a second thread would be awake, so that one does it all.
  var isQuick: Bool { get }

  /// What went wrong in the last blur. Kernels of this library cannot fail; code behind a border can.
  var failure: BlurError? { get }
}

extension PlannedBlur {
  public var sharedBytes: Int { 0 }
  public var scratchBytes: Int { 0 }
  public var reads: Region? { nil }
  public var isSameByRegion: Bool { true }
  public var finishesRows: Bool { false }
  public var isQuick: Bool { false }
  public var failure: BlurError? { nil }
}

extension PlannedBlur {
  /// The most bytes of scratch that a plan holds on so many threads.
  package func workspaceBytes(threads: Int) -> Int { Workspace.byteCount(for: self, threads: threads) }
}

/// A step of a blur that can be divided: `units` independent pieces of work, mostly rows.
public struct Phase: Hashable, Sendable {
  /// How many pieces there are.
  public let units: Int
  /// Pieces are handed out in multiples of this, so that blocks of rows stay whole.
  public let grain: Int

  /// How many units' worth of work each run of pieces repeats of what comes before it: running sums, for
  /// example, begin with a whole window.
  public let leadIn: Int

  /// Makes a phase of `units` pieces.
  public init(units: Int, grain: Int = 1, leadIn: Int = 0) {
    self.units = units
    self.grain = grain
    self.leadIn = leadIn
  }
}

/// The memory of one call: valid only while the kernel runs.
public struct BlurBuffers: @unchecked Sendable {
  /// The image to read: pixel (0, 0) is that of the whole image, whose format it has. Only pixels inside
  /// ``PlannedBlur/reads`` are there; the view's layout has the size of that part.
  public let source: ImageView
  /// The region to write: pixel (0, 0) is the region's top left.
  public let destination: MutableImageView
  /// `sharedBytes` bytes, aligned to 64.
  public let shared: UnsafeMutableRawPointer
  /// `scratchBytes` bytes of this thread, aligned to 64.
  public let scratch: UnsafeMutableRawPointer
  /// What is done to rows of the region as soon as they are written.
  let finish: (any RowFinish)?

  /// Rows that are best finished together: few enough for the cache, and enough for memory to be read ahead.
  static let rowsAtOnce = 16

  /// Says that these rows of the destination are written, in a kernel that says so of all
  /// (``PlannedBlur/finishesRows``). Nothing of them is needed any more for other rows.
  public func finished(_ rows: Range<Int>) { finish?.finish(rows, in: destination) }
}
