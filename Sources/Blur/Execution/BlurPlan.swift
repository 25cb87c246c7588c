/// A kernel made ready for one layout, sigma and edge mode; blurs any number of images without allocating.
///
/// A plan may be used from several threads; calls on the same plan wait for each other, because they share
/// its scratch. Threads that should blur at the same time want a plan each. Plans that never do can share
/// theirs: see ``SharedScratch``.
public final class BlurPlan: Sendable {
  /// The kernel that runs.
  public let kernel: Kernel
  /// The layout the plan reads. Images of other strides are accepted, other formats and sizes refused.
  public let layout: ImageLayout
  /// What was asked; `instructionSet` is the one that runs.
  public let parameters: BlurParameters
  /// How many threads work on one image.
  public let threads: Int
  /// The part of the blurred image that is written.
  public let region: Region
  /// The part of an image that is read for ``region``: all of it for kernels that do not say.
  ///
  /// An image can be blurred in tiles by plans for its whole layout, one for each tile's ``region``, from the
  /// pixels of their `reads` alone: see ``blur(tile:into:)-(Image,_)``. The tiles make up the whole result.
  public let reads: Region
  /// Bytes the plan needs for its scratch, all threads together, beside the image and the result.
  public let scratchBytes: Int
  /// How many times the image is halved before it is filtered; 0 where no pyramid is made.
  public let halvings: Int
  /// Why this kernel runs; nil where it was named.
  public let choice: Choice?

  private let plan: any Plan
  private let executor: Executor
  private let scratch: SharedScratch

  /// Plans a named kernel.
  ///
  /// - Parameters:
  ///   - kernel: an entry of ``Registry/kernels``, or any other.
  ///   - layout: the format, size and stride of the images to be read.
  ///   - parameters: sigma, edge mode, wanted region, widest instruction set.
  ///   - threads: how many threads work on one image; the result is the same for any number.
  ///   - scratch: that of plans which blur in turn with this one; its own if nil.
  /// - Throws: ``BlurError/unsupported(kernel:reason:)``, ``BlurError/invalidRegion(_:_:)``,
  ///   ``BlurError/invalidThreads(_:)``, ``BlurError/outOfMemory(bytes:)``.
  public convenience init(
    _ kernel: Kernel, for layout: ImageLayout, _ parameters: BlurParameters, threads: Int = 1,
    scratch: SharedScratch? = nil
  ) throws(BlurError) {
    guard (1...1024).contains(threads) else { throw .invalidThreads(threads) }
    let plan = try kernel.plan(parameters, for: layout, threads: threads)
    var used = parameters
    used.instructionSet = kernel.instructionSet(upTo: parameters.instructionSet)
    try self.init(plan, kernel, nil, for: layout, used, threads: threads, scratch: scratch)
  }

  /// Makes ready to run a kernel's plan, on at most 1024 threads.
  ///
  /// - Parameters:
  ///   - parameters: with the instruction set that runs.
  ///   - isAlwaysShared: whether all threads work on an image, however small it is.
  package init(
    _ plan: any Plan, _ kernel: Kernel, _ choice: Choice?, for layout: ImageLayout,
    _ parameters: BlurParameters, threads: Int, isAlwaysShared: Bool = false, scratch: SharedScratch? = nil
  ) throws(BlurError) {
    let time =
      threads == 1 || isAlwaysShared
      ? .infinity : kernel.estimate(layout, parameters, parameters.instructionSet, threads: 1)
    executor = Executor(plan, threads: threads, time: time)
    scratchBytes = executor.scratchBytes
    self.scratch = scratch ?? SharedScratch()
    try self.scratch.reserve(max(1, scratchBytes))
    self.plan = plan
    self.kernel = kernel
    self.choice = choice
    self.layout = layout
    self.parameters = parameters
    self.threads = threads
    region = parameters.region ?? layout.bounds
    reads = plan.facts.reads ?? layout.bounds
    halvings = plan.facts.halvings
  }

  /// Blurs `image` into `result`, which has the format of the image and the size of ``region``.
  ///
  /// - Throws: ``BlurError/layoutMismatch(of:expected:found:)``.
  public func blur(_ image: Image, into result: inout Image) throws(BlurError) {
    try image.withView { (source) throws(BlurError) in
      try result.withMutableView { (target) throws(BlurError) in try blur(source, into: target) }
    }
  }

  /// Blurs ``region`` of an image from a part of it: `tile` holds the pixels of ``reads`` and nothing else.
  ///
  /// - Throws: ``BlurError/layoutMismatch(of:expected:found:)`` for a tile of another size than ``reads``.
  public func blur(tile: Image, into result: inout Image) throws(BlurError) {
    try tile.withView { (source) throws(BlurError) in
      try result.withMutableView { (target) throws(BlurError) in try blur(tile: source, into: target) }
    }
  }

  /// Blurs `image` in place: for kernels from elsewhere whose ``Kernel/worksInPlace`` is true. None of the
  /// library's can, not even with sigma 0.
  ///
  /// - Throws: ``BlurError/overlap(kernel:)`` when the kernel cannot,
  ///   ``BlurError/layoutMismatch(of:expected:found:)``.
  public func blur(inPlace image: inout Image) throws(BlurError) {
    try image.withMutableView { (view) throws(BlurError) in try blur(view.readOnly, into: view) }
  }

  /// Blurs the bytes of `source`, which has the layout ``layout``, into `target`.
  ///
  /// - Throws: ``BlurError/bufferTooSmall(of:needed:found:)``,
  ///   ``BlurError/layoutMismatch(of:expected:found:)``.
  public func blur(
    _ source: RawSpan, into target: inout MutableRawSpan, _ targetLayout: ImageLayout
  ) throws(BlurError) {
    guard source.byteCount >= layout.byteCount else {
      throw .bufferTooSmall(of: "source", needed: layout.byteCount, found: source.byteCount)
    }
    guard target.byteCount >= targetLayout.byteCount else {
      throw .bufferTooSmall(of: "destination", needed: targetLayout.byteCount, found: target.byteCount)
    }
    try source.withUnsafeBytes { (source) throws(BlurError) in
      try target.withUnsafeMutableBytes { (target) throws(BlurError) in
        // SAFETY: both spans hold their layouts' bytes, checked above, and a layout is never empty.
        try blur(
          ImageView(source.start, layout), into: MutableImageView(target.start, targetLayout))
      }
    }
  }

  /// Blurs the pixels at `source` into those at `target`: the form for buffers of one's own.
  ///
  /// Both views must be valid during the call. They may be the same memory only for kernels that work in
  /// place; strides may differ from the planned one.
  ///
  /// - Parameters:
  ///   - source: the image.
  ///   - target: where the pixels of ``region`` go.
  ///   - epilogue: what is done to rows of the result as soon as they are written.
  /// - Throws: ``BlurError/layoutMismatch(of:expected:found:)``, ``BlurError/overlap(kernel:)``.
  public func blur(
    _ source: ImageView, into target: MutableImageView, epilogue: (any RowEpilogue)? = nil
  ) throws(BlurError) {
    try source.layout.check("image", is: layout.format, layout.width, layout.height)
    try blur(tile: source.cropped(to: reads), into: target, epilogue: epilogue)
  }

  /// Blurs ``region`` of an image from a part of it: the form for buffers of one's own. `tile` holds the
  /// pixels of ``reads``; the rest of the image need not exist.
  ///
  /// - Parameters:
  ///   - tile: the pixels of ``reads``.
  ///   - target: where the pixels of ``region`` go.
  ///   - epilogue: what is done to rows of the result as soon as they are written.
  /// - Throws: ``BlurError/layoutMismatch(of:expected:found:)``, ``BlurError/overlap(kernel:)``.
  public func blur(
    tile: ImageView, into target: MutableImageView, epilogue: (any RowEpilogue)? = nil
  ) throws(BlurError) {
    try tile.layout.check("tile (`reads`)", is: layout.format, reads.width, reads.height)
    let result = parameters.region == nil ? "result" : "result (`region`)"
    try target.layout.check(result, is: layout.format, region.width, region.height)
    guard canShare(tile, target) else { throw .overlap(kernel: kernel.name) }
    // SAFETY: the address of the image's first pixel, which may not exist. Kernels count from there and touch
    // nothing outside `reads`: the property `tiles` and a test with unreadable surroundings hold them to it.
    let first = tile.base - reads.y * tile.layout.stride - reads.x * layout.format.bytesPerPixel
    let failure = scratch.withMemory { memory in
      executor.run(from: ImageView(first, tile.layout), to: target, epilogue: epilogue, in: memory)
    }
    if let failure { throw failure }
  }

  /// Whether the two buffers are apart, or the same where the kernel allows that.
  private func canShare(_ source: ImageView, _ target: MutableImageView) -> Bool {
    let isSame = source.base == UnsafeRawPointer(target.base) && source.layout == target.layout
    return source.isApart(from: target) || (kernel.worksInPlace && isSame)
  }
}

extension ImageView {
  /// Whether no row of one meets a row of the other: interleaved regions of one larger image count as apart.
  func isApart(from target: MutableImageView) -> Bool {
    let from = UInt(bitPattern: base)
    let to = UInt(bitPattern: target.base)
    let fromEnd = from + UInt(layout.byteCount)
    let toEnd = to + UInt(target.layout.byteCount)
    if fromEnd <= to || toEnd <= from { return true }
    let stride = layout.stride
    guard stride == target.layout.stride else { return false }
    let distance = Int(bitPattern: to) - Int(bitPattern: from)
    let offset = ((distance % stride) + stride) % stride
    return offset >= layout.rowBytes && offset + target.layout.rowBytes <= stride
  }
}

extension ImageLayout {
  /// Throws ``BlurError/layoutMismatch(of:expected:found:)`` unless it has that format and size.
  package func check(
    _ argument: String, is format: PixelFormat, _ width: Int, _ height: Int
  ) throws(BlurError) {
    guard has(format, width, height) else {
      throw .layoutMismatch(of: argument, expected: Self.words(format, width, height), found: words)
    }
  }

  /// Throws ``BlurError/maskMismatch(expected:found:)`` unless it is that of a mask for such images.
  func check(isMaskFor images: ImageLayout) throws(BlurError) {
    guard has(.gray8, images.width, images.height) else {
      throw .maskMismatch(expected: Self.words(.gray8, images.width, images.height), found: words)
    }
  }

  private func has(_ format: PixelFormat, _ width: Int, _ height: Int) -> Bool {
    self.format == format && self.width == width && self.height == height
  }

  private var words: String { Self.words(format, width, height) }

  private static func words(_ format: PixelFormat, _ width: Int, _ height: Int) -> String {
    "\(format.rawValue) \(width)x\(height)"
  }
}
