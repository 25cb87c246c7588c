extension BlurPlan {
  /// Creates a plan with the fastest kernel that promises to stay within an error bound.
  ///
  /// - Parameters:
  ///   - layout: The format, size and stride of the images to be read.
  ///   - parameters: The sigma, the edge mode, the wanted region, and the widest instruction set to use.
  ///   - accuracy: The largest allowed difference from the exact Gaussian, in any image.
  ///   - threads: The number of threads for one image, from 1 to 1024. It does not change the result.
  ///   - planning: Whether to measure which kernel is the fastest, if that is not yet known.
  ///   - scratch: Scratch memory shared with plans that never blur at the same time as this one, or nil to
  ///     give the plan memory of its own.
  /// - Throws: ``BlurError/noKernel(within:format:)`` if no kernel promises to stay within the error bound,
  ///   ``BlurError/unsupported(kernel:reason:)`` if every kernel that promises to stay within the bound
  ///   rejects the parameters, ``BlurError/invalidRegion(_:_:)``, ``BlurError/invalidDownscaling(_:_:)``,
  ///   ``BlurError/invalidThreads(_:)``, or ``BlurError/outOfMemory(bytes:)``.
  public convenience init(
    for layout: ImageLayout, _ parameters: BlurParameters, accuracy: ErrorBound = .levels(1),
    threads: Int = 1, planning: Planning = .estimated, scratch: SharedScratch? = nil
  ) throws(BlurError) {
    try self.init(
      for: layout, parameters, accuracy: accuracy, threads: threads, planning: planning, chooser: .shared,
      scratch: scratch)
  }

  /// Creates a plan with the kernel that `chooser` selects.
  package convenience init(
    for layout: ImageLayout, _ parameters: BlurParameters, accuracy: ErrorBound = .levels(1),
    threads: Int = 1, planning: Planning = .estimated, chooser: Chooser, scratch: SharedScratch? = nil
  ) throws(BlurError) {
    guard (1...1024).contains(threads) else { throw .invalidThreads(threads) }
    let blurred = layout.forKernels(parameters.sigma)
    if planning == .measured { try chooser.measure(blurred, parameters, threads: threads) }
    var failure = BlurError.noKernel(within: accuracy.levels, format: layout.format)
    let ranking = try chooser.ranking(for: blurred, parameters, within: accuracy, threads: threads)
    for (index, candidate) in ranking.enumerated() {
      let plan: any Plan
      do throws(BlurError) {
        plan = try candidate.plan(parameters, for: layout, threads: threads)
      } catch .unsupported(let kernel, let reason) {
        failure = .unsupported(kernel: kernel, reason: reason)
        continue
      }
      var used = parameters
      used.instructionSet = candidate.set
      let choice = chooser.choice(index, in: ranking, for: blurred, parameters, threads: threads)
      try self.init(plan, candidate.kernel, choice, for: layout, used, threads: threads, scratch: scratch)
      return
    }
    throw failure
  }

  /// Creates a plan with the fastest kernel that promises to stay within an error bound.
  ///
  /// - Parameters:
  ///   - layout: The format, size and stride of the images to be read.
  ///   - sigma: The standard deviation in pixels.
  ///   - edge: How the image continues beyond its edges.
  ///   - accuracy: The largest allowed difference from the exact Gaussian, in any image.
  ///   - threads: The number of threads for one image, from 1 to 1024. It does not change the result.
  ///   - planning: Whether to measure which kernel is the fastest, if that is not yet known.
  ///   - scratch: Scratch memory shared with plans that never blur at the same time as this one, or nil to
  ///     give the plan memory of its own.
  /// - Throws: ``BlurError/noKernel(within:format:)``, ``BlurError/invalidSigma(_:)``,
  ///   ``BlurError/invalidThreads(_:)``, or ``BlurError/outOfMemory(bytes:)``.
  public convenience init(
    for layout: ImageLayout, sigma: Double, edge: EdgeMode = .clamp, accuracy: ErrorBound = .levels(1),
    threads: Int = 1, planning: Planning = .estimated, scratch: SharedScratch? = nil
  ) throws(BlurError) {
    try self.init(
      for: layout, BlurParameters(sigma: Sigma(sigma), edge: edge), accuracy: accuracy, threads: threads,
      planning: planning, scratch: scratch)
  }
}

extension Image {
  /// Returns the image, blurred by the fastest kernel that promises to stay within the error bound
  /// `accuracy`. The default bound is one level, which is 1/255 of full scale.
  ///
  /// The plan is cached, so that the next call with the same layout and the same parameters can reuse it; see
  /// ``BlurPlanCache``. To control how long a plan and its memory live, make a ``BlurPlan``.
  ///
  /// - Parameters:
  ///   - sigma: The standard deviation in pixels.
  ///   - region: The part of the blurred image to return. The rows of this part have no padding. If `region`
  ///     is nil, the whole blurred image is returned. Unless it is downscaled, it has the layout of this
  ///     image. Pixels outside the region are still read as neighbours.
  ///   - downscaled: The factor by which the returned image is narrower and lower than the region: 1, 2 or 4.
  ///     See ``BlurParameters/downscaled``.
  ///   - edge: How the image continues beyond its edges.
  ///   - accuracy: The largest allowed difference from the exact Gaussian, in any image.
  ///   - threads: The number of threads for the image, from 1 to 1024. It does not change the result.
  ///   - planning: Whether to measure which kernel is the fastest, if that is not yet known.
  /// - Throws: ``BlurError/noKernel(within:format:)``, ``BlurError/invalidSigma(_:)``,
  ///   ``BlurError/invalidRegion(_:_:)``, ``BlurError/invalidDownscaling(_:_:)``,
  ///   ``BlurError/invalidThreads(_:)``, or ``BlurError/outOfMemory(bytes:)``.
  public func blurred(
    sigma: Double, region: Region? = nil, downscaled: Int = 1, edge: EdgeMode = .clamp,
    accuracy: ErrorBound = .levels(1), threads: Int = 1, planning: Planning = .estimated
  ) throws(BlurError) -> Image {
    try blurred(
      sigma: Sigma(sigma), region: region, downscaled: downscaled, edge: edge, accuracy: accuracy,
      threads: threads, planning: planning)
  }

  /// Returns the image blurred with a sigma for each axis. For the other parameters and the errors, see
  /// ``blurred(sigma:region:downscaled:edge:accuracy:threads:planning:)-(Double,_,_,_,_,_,_)``.
  public func blurred(
    sigma: Sigma, region: Region? = nil, downscaled: Int = 1, edge: EdgeMode = .clamp,
    accuracy: ErrorBound = .levels(1), threads: Int = 1, planning: Planning = .estimated
  ) throws(BlurError) -> Image {
    let parameters = BlurParameters(sigma: sigma, edge: edge, region: region, downscaled: downscaled)
    let plan = try BorrowedPlan(
      for: layout, parameters, accuracy: accuracy, threads: threads, planning: planning)
    var result = try Image(unfilled: parameters.result(of: layout))
    try withViews(into: &result) { (source, target) throws(BlurError) in try plan.blur(source, into: target) }
    return result
  }

  /// Blurs the image, or only a region of it, and overwrites the old pixels with the blurred ones. The
  /// blurred pixels are first computed in temporary memory. For the parameters and errors, see
  /// ``blurred(sigma:region:downscaled:edge:accuracy:threads:planning:)-(Double,_,_,_,_,_,_)``.
  public mutating func blur(
    sigma: Double, region: Region? = nil, edge: EdgeMode = .clamp, accuracy: ErrorBound = .levels(1),
    threads: Int = 1, planning: Planning = .estimated
  ) throws(BlurError) {
    let result = try blurred(
      sigma: sigma, region: region, edge: edge, accuracy: accuracy, threads: threads, planning: planning)
    guard let region else {
      self = result
      return
    }
    try result.withViews(into: &self) { (source, target) throws(BlurError) in
      try target.cropped(to: region).copyPixels(of: source)
    }
  }
}
