/// A kernel prepared for one layout, sigma and edge mode. A plan blurs any number of images without
/// allocating memory.
///
/// A plan may be used from several threads, but calls on the same plan wait for each other, because they
/// share the plan's scratch memory. If several threads should blur at the same time, each of them needs its
/// own plan. Plans that never blur at the same time can share their scratch memory; see ``SharedScratch``.
public final class BlurPlan: Sendable {
  /// The kernel that this plan runs.
  public let kernel: Kernel
  /// The layout of the images that the plan reads. An image may have a different stride, but an image with a
  /// different format or size is rejected.
  public let layout: ImageLayout
  /// The parameters that were asked for, except that `instructionSet` is the instruction set that actually
  /// runs.
  public let parameters: BlurParameters
  /// The maximum number of threads that work on one image. A blur that takes little time uses fewer threads.
  public let threads: Int
  /// The part of the blurred image that the plan writes. If ``BlurParameters/downscaled`` is 2 or 4, the
  /// result shows this part at half or a quarter of its size.
  public let region: Region
  /// The layout of the result, without padding between its rows.
  public var result: ImageLayout { layout.result(of: region, downscaled: parameters.downscaled) }
  /// The part of the source image that is read to compute ``region``. This is the whole image unless the
  /// kernel reports a smaller part.
  ///
  /// To blur an image tile by tile, make one plan for each tile, with the layout of the whole image and the
  /// tile as the ``region``. Each plan needs only the pixels of its `reads`; see
  /// ``blur(tile:into:)-(Image,_)``. The results of all plans together make up the whole blurred image.
  public let reads: Region
  /// The number of scratch bytes for all threads together, not counting the source and the result.
  public let scratchBytes: Int
  /// The number of times that the image is halved before it is filtered, or 0 if the kernel does not
  /// downsample.
  public let halvings: Int
  /// The reason why this kernel was chosen, or nil if the caller named the kernel.
  public let choice: Choice?

  private let plan: any Plan
  private let executor: Executor
  private let scratch: SharedScratch

  /// Creates a plan for a named kernel.
  ///
  /// - Parameters:
  ///   - kernel: An entry of ``Registry/kernels``, or any other kernel.
  ///   - layout: The format, size and stride of the images to be read.
  ///   - parameters: The sigma, the edge mode, the wanted region, and the widest instruction set to use.
  ///   - threads: The number of threads for one image, from 1 to 1024. It does not change the result.
  ///   - scratch: Scratch memory shared with plans that never blur at the same time as this one, or nil to
  ///     give the plan memory of its own.
  /// - Throws: ``BlurError/unsupported(kernel:reason:)`` if the kernel does not support the format or the
  ///   parameters, ``BlurError/invalidRegion(_:_:)``, ``BlurError/invalidDownscaling(_:_:)``,
  ///   ``BlurError/invalidThreads(_:)``, or ``BlurError/outOfMemory(bytes:)``.
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

  /// Creates a blur plan that runs `plan`, which was made by `kernel`. `threads` must be at most 1024.
  ///
  /// - Parameters:
  ///   - parameters: The parameters, with the instruction set that actually runs.
  ///   - sharing: The rule that decides how many threads work on an image.
  package init(
    _ plan: any Plan, _ kernel: Kernel, _ choice: Choice?, for layout: ImageLayout,
    _ parameters: BlurParameters, threads: Int, sharing: ThreadSharing = .ifFaster,
    scratch: SharedScratch? = nil
  ) throws(BlurError) {
    let facts = plan.facts
    let cost = facts.cost * parameters.shareOfWork(layout)
    let time =
      sharing == .ifFaster
      ? CostConstants.of(parameters.instructionSet).time(cost, threads: 1) : .infinity
    executor = Executor(
      plan, threads: threads, time: time, parameters.thresholds, isShort: sharing == .ifAwake)
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
    reads = facts.reads ?? layout.bounds
    halvings = facts.halvings
  }

  /// Blurs an image, or a part of it, and writes the result to another image of the same format, or to a part
  /// of that image. The source pixels are not copied first.
  ///
  /// - Parameters:
  ///   - image: The image to blur.
  ///   - part: The part of `image` that is blurred as if it were an image of its own, or nil for all of it.
  ///     It must have the size of ``layout``.
  ///   - result: The image that receives the blurred pixels. Its other pixels stay as they are.
  ///   - place: The part of `result` that gets the blurred pixels, or nil for all of it. It must have the
  ///     size of ``region``, divided by ``BlurParameters/downscaled``.
  /// - Throws: ``BlurError/layoutMismatch(of:expected:found:)`` if the format or the size of one of the
  ///   images is not the expected one, or ``BlurError/invalidRegion(_:_:)`` if a part is not inside its
  ///   image.
  public func blur(
    _ image: Image, from part: Region? = nil, into result: inout Image, at place: Region? = nil
  ) throws(BlurError) {
    try image.withViews(into: &result) { (source, target) throws(BlurError) in
      try blur(
        source.cropped(to: part ?? source.layout.bounds),
        into: target.cropped(to: place ?? target.layout.bounds))
    }
  }

  /// Computes the blurred ``region`` of an image from the part of the image in `tile`, which holds exactly
  /// the pixels of ``reads``.
  ///
  /// - Throws: ``BlurError/layoutMismatch(of:expected:found:)`` if the format or the size of one of the
  ///   images is not the expected one.
  public func blur(tile: Image, into result: inout Image) throws(BlurError) {
    try tile.withViews(into: &result) { (source, target) throws(BlurError) in
      try blur(tile: source, into: target)
    }
  }

  /// Blurs `image` in place. This is possible only for kernels from outside the library whose
  /// ``Kernel/worksInPlace`` is true. None of the library's own kernels works in place, not even with sigma
  /// 0.
  ///
  /// - Throws: ``BlurError/overlap(kernel:)`` if the kernel does not work in place, or
  ///   ``BlurError/layoutMismatch(of:expected:found:)``.
  public func blur(inPlace image: inout Image) throws(BlurError) {
    try image.withMutableView { (view) throws(BlurError) in try blur(view.readOnly, into: view) }
  }

  /// Blurs the bytes of `source`, an image with the plan's ``layout``, into `target`, whose layout is
  /// `targetLayout`.
  ///
  /// - Throws: ``BlurError/bufferTooSmall(of:needed:found:)`` or
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
        // SAFETY: both spans hold at least the bytes of their layouts, as checked above, and no layout is
        // empty.
        try blur(
          ImageView(source.start, layout), into: MutableImageView(target.start, targetLayout))
      }
    }
  }

  /// Blurs the pixels at `source` into the pixels at `target`. Use this form for memory that you manage
  /// yourself.
  ///
  /// Both views must stay valid during the call. Their strides may differ from the planned stride.
  ///
  /// The views must not overlap, unless both views are the same pixels and the kernel works in place. Two
  /// views with the same stride overlap if a row of one view shares a byte with a row of the other. The left
  /// and the right half of an image therefore do not overlap. If the strides differ, the padding counts as
  /// well: the views overlap if a byte between the first and the last pixel of one view is also between the
  /// first and the last pixel of the other.
  ///
  /// - Parameters:
  ///   - source: The image to blur.
  ///   - target: A view of the memory for the blurred pixels of ``region``.
  ///   - epilogue: An operation to apply to rows of the result as soon as they are written, or nil.
  /// - Throws: ``BlurError/layoutMismatch(of:expected:found:)`` or ``BlurError/overlap(kernel:)``.
  public func blur(
    _ source: ImageView, into target: MutableImageView, epilogue: (any RowEpilogue)? = nil
  ) throws(BlurError) {
    try source.layout.check("image", is: layout)
    try blur(tile: source.cropped(to: reads), into: target, epilogue: epilogue)
  }

  /// Computes the blurred ``region`` of an image from a part of that image. Use this form for memory that you
  /// manage yourself. `tile` holds the pixels of ``reads``. The rest of the image need not be in memory.
  ///
  /// - Parameters:
  ///   - tile: The pixels of ``reads``.
  ///   - target: A view of the memory for the blurred pixels of ``region``.
  ///   - epilogue: An operation to apply to rows of the result as soon as they are written, or nil.
  /// - Throws: ``BlurError/layoutMismatch(of:expected:found:)`` or ``BlurError/overlap(kernel:)``.
  public func blur(
    tile: ImageView, into target: MutableImageView, epilogue: (any RowEpilogue)? = nil
  ) throws(BlurError) {
    try blur(tile: tile, into: target, epilogue: epilogue, cancellation: nil)
  }

  /// Computes the blurred ``region``, like ``blur(tile:into:epilogue:)``. If `cancellation` is cancelled
  /// during the blur, the remaining phases are skipped, and the pixels of the target have arbitrary values.
  func blur(
    tile: ImageView, into target: MutableImageView, epilogue: (any RowEpilogue)?, cancellation: Cancellation?
  ) throws(BlurError) {
    try tile.layout.check("tile (`reads`)", is: layout.cropped(to: reads))
    let result = parameters.region == nil ? "result" : "result (`region`)"
    try target.layout.check(result, is: self.result)
    guard canShare(tile, target) else { throw .overlap(kernel: kernel.name) }
    // SAFETY: `first` is the address where the whole image would begin. There may be no memory at this
    // address. Kernels compute addresses relative to `first`, but read only pixels inside `reads`. The check
    // `tiles` of the verification looks for reads outside this part, and a test makes the memory around the
    // tile unreadable.
    let first = tile.unsafeBase - reads.y * tile.layout.stride - reads.x * layout.format.bytesPerPixel
    let epilogue = CompleteEpilogue(layout, epilogue)
    let failure = scratch.withMemory { memory in
      executor.run(
        from: ImageView(first, tile.layout), to: target, epilogue: epilogue, in: memory,
        cancellation: cancellation)
    }
    if let failure { throw failure }
  }

  #if !hasFeature(Embedded)
    /// Blurs the whole image on threads that the caller starts. The verification uses this method to run more
    /// threads than there are CPUs. The views must not overlap.
    ///
    /// - Parameter start: A closure that calls its argument on several threads at the same time. It passes
    ///   each thread's index, counted from 0, and returns when all these calls have returned.
    /// - Throws: The error that the kernel reported.
    package func blur(
      _ source: ImageView, into target: MutableImageView,
      startingThreads start: (@escaping @Sendable (_ thread: Int) -> Void) -> Void
    ) throws(BlurError) {
      let failure = scratch.withMemory { executor.run(from: source, to: target, in: $0, start) }
      if let failure { throw failure }
    }
  #endif

  /// Returns whether the kernel may blur `source` into `target`. Any kernel may do this if the views do not
  /// overlap. A kernel that works in place may also do this if both views are the same pixels.
  private func canShare(_ source: ImageView, _ target: MutableImageView) -> Bool {
    let isSame = source.unsafeBase == UnsafeRawPointer(target.unsafeBase) && source.layout == target.layout
    return source.isApart(from: target) || (kernel.worksInPlace && isSame)
  }
}

/// A rule that decides how many threads of a plan work on an image. Ordinary blurs follow the rule
/// ``ifFaster``. The other rules exist for verification, tests and experiments.
package enum ThreadSharing: Sendable {
  /// Several threads work on an image only if they are expected to be faster than one thread.
  case ifFaster
  /// All threads are woken for every image, even if the image is so small that one thread would be faster.
  case always
  /// Every blur is treated like a short one: several threads work on it only if it begins soon after the
  /// previous blur. After each blur, the threads stay awake for a moment, and wait for the next one.
  case ifAwake
}

extension ImageLayout {
  /// Throws ``BlurError/layoutMismatch(of:expected:found:)`` if this layout differs from `expected` in
  /// anything but the stride. `argument` is the word for the image in the error message, such as "image".
  package func check(_ argument: String, is expected: ImageLayout) throws(BlurError) {
    guard hasSamePixels(as: expected) else {
      throw .layoutMismatch(of: argument, expected: expected.words, found: words)
    }
  }

  /// Throws ``BlurError/maskMismatch(expected:found:)`` unless this is the layout of a mask for `images`:
  /// gray8, with the same width and height.
  func check(isMaskFor images: ImageLayout) throws(BlurError) {
    let expected = try ImageLayout(.gray8, width: images.width, height: images.height)
    guard hasSamePixels(as: expected) else { throw .maskMismatch(expected: expected.words, found: words) }
  }

  /// Returns whether both layouts have the same format, size, order of channels and meaning of alpha. Their
  /// strides may differ.
  func hasSamePixels(as other: ImageLayout) -> Bool {
    packed(as: format) == other.packed(as: other.format)
  }

  /// The format and the size as a string. The string includes the order of the channels and the meaning of
  /// alpha only if they differ from the defaults.
  var words: String {
    format.rawValue + (order == .rgba ? "" : " in the order \(order.rawValue)")
      + (alpha == .premultiplied ? "" : " with \(alpha.rawValue) alpha") + " \(width)x\(height)"
  }
}
