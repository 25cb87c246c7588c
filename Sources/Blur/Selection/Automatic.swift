extension Registry {
  /// The kernel to take when nobody has measured: the last of the list whose promise keeps the bound, because
  /// the list goes from the plainest kernel to the most elaborate.
  ///
  /// - Parameters:
  ///   - format: how the pixels are stored.
  ///   - levels: the largest error against the Gaussian that is accepted, in levels (1/255 of full scale).
  /// - Throws: ``BlurError/noKernel(within:)`` when no promise is that strict.
  public static func automatic(for format: PixelFormat, within levels: Double = 1) throws(BlurError) -> Kernel
  {
    let kept = kernels.last { kernel in kernel.promise.bound(for: format).map { $0 <= levels } ?? false }
    guard let kept else { throw .noKernel(within: levels) }
    return kept
  }
}

extension Image {
  /// The blurred image: the Gaussian within one level, by the kernel that ``Registry/automatic(for:within:)``
  /// names.
  ///
  /// - Parameters:
  ///   - sigma: standard deviation in pixels.
  ///   - edge: what is read beyond the image.
  ///   - threads: how many threads work on it; the result is the same for any number.
  /// - Throws: ``BlurError/invalidSigma(_:)``, ``BlurError/outOfMemory(bytes:)``.
  public func blurred(sigma: Double, edge: EdgeMode = .clamp, threads: Int = 1) throws(BlurError) -> Image {
    let kernel = try Registry.automatic(for: layout.format)
    let plan = try BlurPlan(
      kernel, for: layout, BlurParameters(sigma: Sigma(sigma), edge: edge), threads: threads)
    var result = try Image(layout)
    try plan.blur(self, into: &result)
    return result
  }
}
