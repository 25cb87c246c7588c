import Blur
import BlurText

/// An explanation of a wrong result by a known mistake. The kernel may have used another edge mode, or it may
/// have multiplied or divided the colours by alpha although it should not have changed them.
struct OtherBlur {
  /// A description in one line, such as "in the image that failed first (37x29), the result matches the
  /// blur with edge mirror".
  let text: String

  /// The smallest number of pixels of an image in which a known mistake is looked for. In a smaller image, a
  /// wrong result may resemble another blur by chance.
  private static let leastPixels = 64
  /// A wrong result is attributed to another blur, such as one with another edge mode, only if the result is
  /// closer to that blur than to the correct one. The difference must be smaller by at least this factor.
  private static let timesAsNear = 4.0

  /// Looks for a known mistake in a failed check of a whole image. Returns nil if the result matches no known
  /// mistake.
  init?(_ check: Check) {
    guard let images = check.outcome.failure?.images, let blur = images.blur,
      images.width * images.height >= Self.leastPixels,
      let source = images.whole(images.source), let result = images.whole(images.result)
    else { return nil }
    let judged = JudgedResult(kernel: check.kernel, source: source, result: result, blur: blur)
    let (off, isRight) = judged.distance(blur.edge)
    guard !isRight else { return nil }
    let edges = Subject.edgeNames.filter { name in
      guard let edge = Subject.edge(named: name, for: images.format), edge != blur.edge else { return false }
      let (distance, isKept) = judged.distance(edge)
      return isKept && distance * Self.timesAsNear <= off
    }
    let alpha = edges.isEmpty ? AlphaMixUp.all.first { judged.distance($0) * Self.timesAsNear <= off } : nil
    guard let other = alpha?.text ?? Self.named(edges) else { return nil }
    let size = "\(images.width)x\(images.height)"
    text = "in the image that failed first (\(size)), the result matches the blur \(other)"
  }

  /// Returns words that name the given edge modes, such as "with edge mirror or wrap", or nil if `edges` is
  /// empty.
  private static func named(_ edges: [String]) -> String? {
    guard let last = edges.last else { return nil }
    return "with edge " + (edges.count > 1 ? Array(edges.dropLast()).listed + " or " : "") + last
  }
}

/// A mistake in which a kernel multiplies or divides premultiplied colours by alpha before or after the blur.
private struct AlphaMixUp {
  enum Step: CaseIterable {
    case nothing, multiply, divide

    func done(_ colour: Double, _ alpha: Double, most: Double) -> Double {
      switch self {
      case .nothing: colour
      case .multiply: colour * alpha
      case .divide: alpha == 0 ? 0 : min(most, colour / alpha)
      }
    }

    var name: String? {
      switch self {
      case .nothing: nil
      case .multiply: "multiplied by alpha"
      case .divide: "divided by alpha"
      }
    }
  }

  let before: Step, after: Step

  static let all = Step.allCases.flatMap { before in
    Step.allCases.map { AlphaMixUp(before: before, after: $0) }
  }.filter { $0.text != nil }

  /// The mistake in words, such as "of colours that are multiplied by alpha before the blur". It is nil if
  /// the colours are neither multiplied nor divided, which is correct.
  var text: String? {
    let steps = [before.name.map { "\($0) before the blur" }, after.name.map { "\($0) after the blur" }]
      .compactMap(\.self)
    return steps.isEmpty ? nil : "of colours that are \(steps.joined(separator: " and "))"
  }
}

/// A result, together with the image and the parameters of the blur that should have made it.
private struct JudgedResult {
  let kernel: Kernel, source: Image, result: Image, blur: (sigma: Sigma, edge: EdgeMode)

  /// The tolerance, in levels, for comparing a result with a simulated mistake in the handling of alpha. A
  /// kernel that converts colours in 8 bits rounds several times, whereas the simulation does not round.
  private static let roundings = 4.0

  private var definition: Truth.Definition { kernel.promise.definition }

  /// Compares the result with the correct blur for the given edge mode. Returns the largest difference in
  /// levels, and whether the result would have been right if that edge mode had been requested.
  func distance(_ edge: EdgeMode) -> (levels: Double, isKept: Bool) {
    let judge = Judge(source, sigma: blur.sigma, edge: edge)
    let isKept = result.withView { judge.judge($0, by: kernel).violation == nil }
    let deviation = result.withView {
      judge.truth(definition).deviation(of: $0, tieMargin: Judge.tieMargin)
    }
    return (deviation.maxLevels, isKept)
  }

  /// Returns the largest difference, in levels, between the result and a blur that makes the given mistake in
  /// the handling of alpha. Returns infinity if the mistake cannot be simulated, or if the difference is
  /// larger than rounding can explain.
  func distance(_ mixUp: AlphaMixUp) -> Double {
    let (width, format) = (source.layout.width, source.layout.format)
    guard format.channels == 4, let layout = try? ImageLayout(.rgbaf32, width: width, height: height) else {
      return .infinity
    }
    // A kernel that converts colours by mistake may or may not convert the constant edge colour too. The
    // mistake can therefore be simulated only if this colour is 0.
    if case .constant(let colour) = blur.edge, colour != .zero { return .infinity }
    let most = format.component == .float32 ? .infinity : 1.0
    func shares(_ image: Image) -> [Double] {
      image.withView { view in
        (0..<height).flatMap { view.values(ofRow: $0) }.map { $0 / format.fullScale }
      }
    }
    func done(_ step: AlphaMixUp.Step, _ values: [Double]) -> [Double] {
      values.indices.map { $0 % 4 == 3 ? values[$0] : step.done(values[$0], values[$0 | 3], most: most) }
    }
    let before = done(mixUp.before, shares(source))
    let image = try? Image.painted(layout) { x, y, c in before[(y * width + x) * 4 + c] }
    guard let image else { return .infinity }
    let truth = Truth.of(image, definition, sigma: blur.sigma, edge: blur.edge)
    let off = zip(shares(result), done(mixUp.after, truth.values)).map { abs($0 - $1) * 255 }.max() ?? 0
    return off <= Self.roundings ? off : .infinity
  }

  private var height: Int { source.layout.height }
}

extension FailureImages {
  /// Returns the components as an image, or nil if only the components of a part of the image were kept.
  fileprivate func whole(_ values: [Double]?) -> Image? {
    guard let values, (region.width, region.height) == (width, height),
      let layout = try? ImageLayout(format, width: width, height: height)
    else { return nil }
    return try? Image.painted(layout) { x, y, c in values[(y * width + x) * format.channels + c] }
  }
}
