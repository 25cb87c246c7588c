import Blur

/// Measures the standard deviation, in pixels, of the blur that `kernel` performs along a row.
///
/// The function blurs a row that steps from black to white. The differences between neighbouring pixels of
/// the result are the kernel's weights, and the second moment of the weights about their mean is the
/// variance. In 8- and 16-bit formats, rounding to code values removes the tails of the weights, so the
/// measured value is too low, by about 1 % in 8-bit formats.
///
/// - Parameters:
///   - kernel: The kernel to measure.
///   - format: The pixel format of the row.
///   - sigma: The requested standard deviation. Only `x` is measured.
///   - instructionSet: The widest instruction set that the kernel may use.
///   - threads: The number of threads that the kernel may use.
/// - Returns: The measured standard deviation. It is nil if `sigma.x` is 0, if the kernel does not support
///   this blur, or if the response does not rise from black to white.
public func achievedSigma(
  of kernel: Kernel, format: PixelFormat, sigma: Sigma, instructionSet: InstructionSet = .best,
  threads: Int = 1
) -> Double? {
  guard sigma.x > 0, let response = stepResponse(of: kernel, format, sigma, instructionSet, threads) else {
    return nil
  }
  let weights = zip(response.dropFirst(), response).map { $0 - $1 }
  let sum = weights.reduce(0, +)
  guard abs(sum - 1) < 0.01 else { return nil }
  func moment(_ power: (Double) -> Double) -> Double {
    weights.enumerated().reduce(0) { $0 + $1.element * power(Double($1.offset)) } / sum
  }
  // The variance is computed as the mean square minus the square of the mean. This difference of two numbers
  // loses digits if the mean is large. Positions are therefore counted from the middle of the row, where the
  // image changes from black to white. The weights are large there, so the mean position is nearly 0.
  let step = Double(weights.count / 2)
  let mean = moment { $0 - step }
  let variance = moment { ($0 - step) * ($0 - step) } - mean * mean
  return variance >= 0 ? variance.squareRoot() : nil
}

/// Blurs a row that is black in its left half and white in its right half, and returns the result as
/// fractions of full scale. Returns nil if the kernel cannot perform this blur, for example because it does
/// not support the format.
private func stepResponse(
  of kernel: Kernel, _ format: PixelFormat, _ sigma: Sigma, _ instructionSet: InstructionSet, _ threads: Int
) -> [Double]? {
  do {
    let width = 2 * (Int((8 * sigma.x).rounded(.up)) + 8)
    let layout = try ImageLayout(format, width: width, height: 1)
    let image = try Image.painted(layout) { x, _, _ in x < width / 2 ? 0 : format.fullScale }
    let parameters = BlurParameters(sigma: sigma, edge: .clamp, instructionSet: instructionSet)
    var result = try Image(layout)
    try BlurPlan(kernel, for: layout, parameters, threads: threads).blur(image, into: &result)
    let values = result.withView { $0.values(ofRow: 0) }
    return stride(from: 0, to: values.count, by: format.channels).map { values[$0] / format.fullScale }
  } catch {
    return nil
  }
}
