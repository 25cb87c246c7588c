import Blur
import BlurFiles
import BlurText

extension BlurCommand {
  /// Blurs `image` with a sigma that varies from pixel to pixel, and returns the result. The mask in `file`
  /// sets the sigma of each pixel.
  ///
  /// - Parameters:
  ///   - image: The picture to blur. With `--linear-light`, it must already be converted to linear light.
  ///   - file: The path of the mask.
  ///   - format: The format of the original picture, before any conversion to linear light.
  ///   - curve: The curve that encodes the result when it is written.
  ///   - parameters: The largest sigma, the edge mode and the instruction set.
  func variable(
    _ image: Image, _ file: String, of format: PixelFormat, _ curve: TransferCurve,
    _ parameters: BlurParameters
  ) throws -> Image {
    let maskPicture = try ImageFile.readMask(file)
    tell(of: file, maskPicture.metadata)
    let mask = maskPicture.image
    let (layout, size) = (image.layout, mask.layout)
    try require(
      (size.width, size.height) == (layout.width, layout.height),
      "--mask \(file): must have \(layout.width)x\(layout.height) pixels like the picture, "
        + "but has \(size.width)x\(size.height) pixels")
    let kernel = try mixedKernel(for: layout, of: format, curve, parameters)
    var stored = kernel.map {
      StoredError(of: $0, light: layout.format, picture: format, edge: parameters.edge, curve)
    }
    stored.map(warnOfDark)
    let plan = try VariableBlurPlan(
      for: layout, sigma: parameters.sigma.x, mask: mask, edge: parameters.edge,
      method: try variableMethod(), kernel: kernel, isa: parameters.instructionSet,
      threads: try OptionValue.threads(threads))
    var result = try Image(layout)
    let time = try ContinuousClock().measure { try plan.blur(image, into: &result) }
    if verbose {
      let error =
        plan.error.map { error in
          // A curve such as sRGB is steepest near black, so the error in levels is largest there.
          let levels = curve.levels(within: .levels(error), for: .grayf32)
          return ", the mask adds an error of at most \(levels.threeDigits) levels to the error of the blurs"
            + (curve == .linear ? "" : ", near black")
        } ?? ""
      Terminal.say(
        "\(layout.format) \(layout.width)x\(layout.height), sigma \(sigma), edge \(edge): method \(method)"
          + "\(error), \(time.shown)")
      stored?.mixing = plan.error
      if linearLight, let stored { Terminal.say("error: \(stored.summary)") }
    }
    return result
  }

  /// Returns the kernel for a blur with a mask. Such a blur mixes the results of several component blurs,
  /// each with a constant sigma. Returns nil if the library may choose a separate kernel for each component
  /// blur.
  private func mixedKernel(
    for light: ImageLayout, of format: PixelFormat, _ curve: TransferCurve, _ parameters: BlurParameters
  ) throws -> Kernel? {
    if kernel != "auto" { return try Registry.kernel(named: kernel) }
    // `--kernel auto` promises an error of at most one level in the stored picture. The conversion from
    // linear light to sRGB magnifies errors near black, so the kernel must promise a smaller error.
    return curve == .linear
      ? nil : try plan(for: light, parameters, within: curve.bound(levels: 1, for: format)).kernel
  }
}
