/// Mixes blurs of fixed sigma, two at a time, from the narrowest on.
///
/// Each blur is made only in the rectangle where the mask needs it, so that along a soft edge all of them
/// together cover little more than twice the image.
// SAFETY: runs under the lock of the plan.
final class MixedWork: VariableWork, @unchecked Sendable {
  private let steps: SigmaSteps
  private let mask: Image
  /// By blur: its plan, nil for the image itself and where no pixel needs it.
  private var plans: [BlurPlan?] = []
  /// By step, which mixes the blur of its number with the next: the pixels' rectangle.
  private var mixed: [Region?] = []
  /// Two neighbouring blurs, each at its place in an image of the whole size.
  private var blurs: [Image]

  /// - Parameter plan: plans a blur of a sigma for a region, or for more than it.
  init(
    _ layout: ImageLayout, _ steps: SigmaSteps, _ mask: Image,
    plan: (Double, Region) throws(BlurError) -> BlurPlan
  ) throws(BlurError) {
    self.steps = steps
    self.mask = mask
    let packed = try ImageLayout(layout.format, width: layout.width, height: layout.height)
    blurs = [try Image(packed), try Image(packed)]
    let boxes = Self.boxes(of: mask, steps)
    for step in 0..<steps.sigmas.count {
      mixed.append(boxes[step]?.region)
      let needed = boxes[step].united(with: step > 0 ? boxes[step - 1] : nil)?.region
      let isBlur = steps.sigmas[step] > 0
      plans.append(
        isBlur ? try needed.map { (region) throws(BlurError) in try plan(steps.sigmas[step], region) } : nil)
    }
  }

  func run(_ source: ImageView, _ target: MutableImageView) -> BlurError? {
    do throws(BlurError) {
      if steps.sigmas.count == 1 { copy(source, target) }
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

  private func copy(_ source: ImageView, _ target: MutableImageView) {
    for y in 0..<target.layout.height {
      // SAFETY: both have the planned layout, but for the stride.
      target.row(y).copyMemory(from: source.row(y), byteCount: target.layout.rowBytes)
    }
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
        let (values, low, high, to) = (mask.row(y), lower.row(y), upper.row(y), target.row(y))
        var x = region.columns.lowerBound
        while x < region.columns.upperBound {
          // Most masks change slowly: pixels of one value are mixed together.
          let value = values.component(x, as: UInt8.self)
          var end = x + 1
          while end < region.columns.upperBound, values.component(end, as: UInt8.self) == value { end += 1 }
          if steps.lower[Int(value)] == step {
            let share = steps.share[Int(value)]
            for i in x * channels..<end * channels {
              // Not a + t (b − a): with t = 0 and t = 1 this is a and b, also in floats.
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

  /// For each step the smallest box around the pixels that it mixes.
  private static func boxes(of mask: Image, _ steps: SigmaSteps) -> [Box?] {
    var boxes = [Box?](repeating: nil, count: steps.sigmas.count)
    mask.withView { mask in
      for y in 0..<mask.layout.height {
        for x in 0..<mask.layout.width {
          let step = steps.lower[Int(mask.row(y).component(x, as: UInt8.self))]
          boxes[step] = boxes[step].united(with: Box(columns: x..<x + 1, rows: y..<y + 1))
        }
      }
    }
    return boxes
  }
}

/// A rectangle of pixels that grows.
private struct Box {
  let columns: Range<Int>, rows: Range<Int>

  var region: Region {
    Region(x: columns.lowerBound, y: rows.lowerBound, width: columns.count, height: rows.count)
  }
}

extension Box? {
  /// The smallest box around both.
  fileprivate func united(with other: Box?) -> Box? {
    guard let self, let other else { return self ?? other }
    return Box(
      columns: min(
        self.columns.lowerBound, other.columns.lowerBound)..<max(
          self.columns.upperBound, other.columns.upperBound),
      rows: min(
        self.rows.lowerBound, other.rows.lowerBound)..<max(self.rows.upperBound, other.rows.upperBound))
  }
}

/// A component type that stores numbers between two of its values: they need no check of their range, which
/// would keep loops from vectors.
private protocol MixedComponent: PixelComponent {
  init(between number: Float)
}

extension Float: MixedComponent {
  init(between number: Float) { self = number }
}

extension UInt8: MixedComponent {
  // From 2²³ on floats are whole numbers, and their last bits are those of the number that was added.
  init(between number: Float) { self.init(truncatingIfNeeded: (number + 0x1p23).bitPattern) }
}

extension UInt16: MixedComponent {
  init(between number: Float) { self.init(truncatingIfNeeded: (number + 0x1p23).bitPattern) }
}
