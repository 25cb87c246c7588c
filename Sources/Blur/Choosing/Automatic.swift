extension BlurPlan {
  /// Plans the fastest kernel that keeps a bound, see ``Chooser``.
  ///
  /// - Parameters:
  ///   - layout: the format, size and stride of the images to be read.
  ///   - parameters: sigma, edge mode, wanted region, widest instruction set.
  ///   - accuracy: the largest error against the Gaussian, in any image.
  ///   - threads: how many threads work on one image; the result is the same for any number.
  ///   - planning: whether to measure which kernel is the fastest, if that is not known.
  ///   - chooser: what chooses.
  ///   - scratch: buffers shared with other plans; nil gives the plan its own.
  /// - Throws: ``BlurError/noKernel(within:format:)`` when no kernel promises that;
  ///   ``BlurError/invalidRegion(_:_:)``, ``BlurError/invalidThreads(_:)``,
  ///   ``BlurError/outOfMemory(bytes:)``.
  public convenience init(
    for layout: ImageLayout, _ parameters: BlurParameters, accuracy: ErrorBound = .levels(1),
    threads: Int = 1, planning: Planning = .estimated, chooser: Chooser = .shared,
    scratch: SharedScratch? = nil
  ) throws(BlurError) {
    guard (1...1024).contains(threads) else { throw .invalidThreads(threads) }
    if planning == .measured { try chooser.measure(layout, parameters, threads: threads) }
    var refusal = BlurError.noKernel(within: accuracy.levels, format: layout.format)
    for choice in try chooser.choices(for: layout, parameters, within: accuracy, threads: threads) {
      var parameters = parameters
      parameters.instructionSet = choice.instructionSet
      let plan: any Plan
      do throws(BlurError) {
        plan = try choice.kernel.plan(parameters, for: layout, threads: threads)
      } catch .unsupported(let kernel, let reason) {
        refusal = .unsupported(kernel: kernel, reason: reason)
        continue
      }
      try self.init(
        plan, choice.kernel, choice, for: layout, parameters, threads: threads, scratch: scratch)
      return
    }
    throw refusal
  }

  /// Plans the fastest kernel that keeps a bound.
  ///
  /// - Parameters:
  ///   - layout: the format, size and stride of the images to be read.
  ///   - sigma: standard deviation in pixels.
  ///   - edge: what is read beyond the image.
  ///   - accuracy: the largest error against the Gaussian, in any image.
  ///   - threads: how many threads work on one image; the result is the same for any number.
  ///   - planning: whether to measure which kernel is the fastest, if that is not known.
  /// - Throws: ``BlurError/noKernel(within:format:)``, ``BlurError/invalidSigma(_:)``,
  ///   ``BlurError/invalidThreads(_:)``, ``BlurError/outOfMemory(bytes:)``.
  public convenience init(
    for layout: ImageLayout, sigma: Double, edge: EdgeMode = .clamp, accuracy: ErrorBound = .levels(1),
    threads: Int = 1, planning: Planning = .estimated
  ) throws(BlurError) {
    try self.init(
      for: layout, BlurParameters(sigma: Sigma(sigma), edge: edge), accuracy: accuracy, threads: threads,
      planning: planning)
  }
}

extension Image {
  /// The blurred image, by the fastest kernel that keeps a bound: the Gaussian within one level, if nothing
  /// else is asked for. The result has the layout of the image. Many images of one size are better blurred by
  /// one ``BlurPlan``.
  ///
  /// - Parameters:
  ///   - sigma: standard deviation in pixels.
  ///   - edge: what is read beyond the image.
  ///   - accuracy: the largest error against the Gaussian.
  ///   - threads: how many threads work on it; the result is the same for any number.
  /// - Throws: ``BlurError/noKernel(within:format:)``, ``BlurError/invalidSigma(_:)``,
  ///   ``BlurError/invalidThreads(_:)``, ``BlurError/outOfMemory(bytes:)``.
  public func blurred(
    sigma: Double, edge: EdgeMode = .clamp, accuracy: ErrorBound = .levels(1), threads: Int = 1
  ) throws(BlurError) -> Image {
    let plan = try BlurPlan(for: layout, sigma: sigma, edge: edge, accuracy: accuracy, threads: threads)
    var result = try Image(layout)
    try plan.blur(self, into: &result)
    return result
  }
}
