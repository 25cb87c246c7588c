/// Computes a blur with a variable sigma by mixing blurs that have a fixed sigma. It mixes two neighbouring
/// blurs at a time, beginning with the two smallest sigmas.
///
/// Each blur is computed only in the rectangle where the mask needs it. For a mask with a single soft edge,
/// all blurs together therefore cover little more than twice the area of the image.
// SAFETY: all methods run under the lock of the plan.
final class MixedWork: VariableWork, @unchecked Sendable {
  private let steps: SigmaSteps
  private let mask: Image
  /// The plans of the blurs with a fixed sigma, in the order of the sigmas. A plan is nil if its sigma is 0,
  /// or if no pixel of the mask needs its blur.
  private var plans: [BlurPlan?] = []
  /// For each pair of neighbouring blurs, the smallest rectangle around the pixels that are mixed from these
  /// two blurs. The pair at index i consists of blur i and blur i + 1. The rectangle is nil if there are no
  /// such pixels.
  private let mixed: [Region?]
  /// The two blurs that are being mixed. Both images have the size of the whole image, even if only a part of
  /// a blur is computed.
  private var blurs: [Image]

  /// Plans the blurs that the mask needs.
  ///
  /// - Parameter plan: A function that creates a plan for a blur with the given sigma. The plan must blur at
  ///   least the given region.
  init(
    _ layout: ImageLayout, _ steps: SigmaSteps, _ mask: Image,
    plan: (Double, Region) throws(BlurError) -> BlurPlan
  ) throws(BlurError) {
    self.steps = steps
    self.mask = mask
    let packed = layout.packed(as: layout.format)
    blurs = [try Image(packed), try Image(packed)]
    mixed = Self.boxes(of: mask, steps)
    for step in 0..<steps.sigmas.count {
      let needed = mixed[step].united(with: step > 0 ? mixed[step - 1] : nil)
      let isBlur = steps.sigmas[step] > 0
      plans.append(
        isBlur ? try needed.map { (region) throws(BlurError) in try plan(steps.sigmas[step], region) } : nil)
    }
  }

  func run(_ source: ImageView, _ target: MutableImageView) -> BlurError? {
    do throws(BlurError) {
      if steps.sigmas.count == 1 { target.copyPixels(of: source) }
      for step in 0..<steps.sigmas.count {
        if let plan = plans[step] {
          try blurs[step % 2].withMutableView { (blur) throws(BlurError) in
            try plan.blur(source, into: try blur.cropped(to: plan.region))
          }
        }
        guard step > 0, let region = mixed[step - 1] else { continue }
        blurs[step % 2].withView { upper in
          blurs[1 - step % 2].withView { lower in
            mix(step == 1 ? source : lower, upper, into: target, step - 1, region)
          }
        }
      }
      return nil
    } catch { return error }
  }

  private func mix(
    _ lower: ImageView, _ upper: ImageView, into target: MutableImageView, _ step: Int, _ region: Region
  ) {
    switch target.layout.format.component {
    case .uint8: mix(lower, upper, into: target, step, region, UInt8.self)
    case .uint16: mix(lower, upper, into: target, step, region, UInt16.self)
    case .float32: mix(lower, upper, into: target, step, region, Float.self)
    }
  }

  @inline(__always)
  private func mix<C: MixedComponent>(
    _ lower: ImageView, _ upper: ImageView, into target: MutableImageView, _ step: Int, _ region: Region,
    _ type: C.Type
  ) {
    let channels = target.layout.format.channels
    mask.withView { mask in
      for y in region.rows {
        let (values, low, high, to) = (
          mask.unsafeRow(y), lower.unsafeRow(y), upper.unsafeRow(y), target.unsafeRow(y)
        )
        var x = region.columns.lowerBound
        while x < region.columns.upperBound {
          // Most masks change slowly. Consecutive pixels with the same mask value are therefore mixed
          // together, with the same weights.
          let value = values.component(x, as: UInt8.self)
          var end = x + 1
          while end < region.columns.upperBound, values.component(end, as: UInt8.self) == value { end += 1 }
          if steps.lower[Int(value)] == step {
            let share = steps.share[Int(value)]
            for i in x * channels..<end * channels {
              // `share` is the weight of `high`. The shorter formula low + share · (high − low) would round
              // the difference, and would not always give exactly `high` for a share of 1.
              let sum =
                (1 - share) * low.component(i, as: C.self).single
                + share * high.component(i, as: C.self).single
              to.setComponent(i, to: C(between: sum))
            }
          }
          x = end
        }
      }
    }
  }

  /// Returns the smallest rectangle around the pixels that are mixed from blur i and blur i + 1, for each i.
  /// The rectangle is nil if there are no such pixels.
  private static func boxes(of mask: Image, _ steps: SigmaSteps) -> [Region?] {
    var boxes = [Region?](repeating: nil, count: steps.sigmas.count)
    mask.withView { mask in
      for y in 0..<mask.layout.height {
        for x in 0..<mask.layout.width {
          let step = steps.lower[Int(mask.unsafeRow(y).component(x, as: UInt8.self))]
          boxes[step] = boxes[step].united(with: Region(x: x, y: y, width: 1, height: 1))
        }
      }
    }
    return boxes
  }
}

extension Region? {
  /// Returns the smallest rectangle that contains both rectangles. An empty rectangle is represented by nil.
  fileprivate func united(with other: Region?) -> Region? {
    guard let self, let other else { return self ?? other }
    let (left, top) = (min(self.x, other.x), min(self.y, other.y))
    let right = max(self.columns.upperBound, other.columns.upperBound)
    let bottom = max(self.rows.upperBound, other.rows.upperBound)
    return Region(columns: left..<right, rows: top..<bottom)
  }
}

/// A component type that can round a weighted mean of two of its values. The mean is always in the range of
/// the type, so the conversion does not check whether it is. A check would keep the compiler from vectorising
/// the loops.
private protocol MixedComponent: PixelComponent {
  init(between number: Float)
}

extension Float: MixedComponent {
  init(between number: Float) { self = number }
}

extension UInt8: MixedComponent {
  // Rounds to the nearest whole number without a conversion instruction. Adding 2²³ to a float leaves no bits
  // for a fraction, so the sum is rounded to a whole number. This number is then in the lowest bits of the
  // sum.
  init(between number: Float) { self.init(truncatingIfNeeded: (number + 0x1p23).bitPattern) }
}

extension UInt16: MixedComponent {
  init(between number: Float) { self.init(truncatingIfNeeded: (number + 0x1p23).bitPattern) }
}
