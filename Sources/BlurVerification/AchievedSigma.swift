import Blur

/// The standard deviation, in pixels, of the blur that `kernel` really does along a row.
///
/// A row that steps from black to white is blurred; the differences of neighbouring pixels of the result
/// are the kernel's weights, and their second moment about their mean is the variance. In 8- and 16-bit
/// formats the tails are lost to rounding, so that the answer is about 1 % low in 8 bits.
///
/// - Parameters:
///   - kernel: the kernel to measure.
///   - format: the format it works on.
///   - sigma: what is asked of it; only `x` is measured.
///   - instructionSet: the widest instruction set it may use.
///   - threads: how many threads it may use.
/// - Returns: nil where there is nothing to measure: sigma.x is 0, the kernel refuses, or the response
///   does not rise from black to white.
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
  // About the step, where the weights are large, before about the mean: less is lost to cancellation.
  let step = Double(weights.count / 2)
  let mean = moment { $0 - step }
  let variance = moment { ($0 - step) * ($0 - step) } - mean * mean
  return variance >= 0 ? variance.squareRoot() : nil
}

/// One row that was black up to its middle and white after it, blurred, as shares of full scale.
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
