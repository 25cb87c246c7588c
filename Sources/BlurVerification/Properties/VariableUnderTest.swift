import Blur

/// One method of variable sigma on one subject: what its properties are written with.
struct VariableUnderTest {
  let method: VariableMethod
  let subject: Subject
  /// Makes ready to blur images of a layout by a mask.
  let plan: (ImageLayout, Image, Subject) throws -> Planned

  /// What a plan does.
  struct Planned {
    /// The largest error of any image that is stated, in levels, beside that of the blurs and one rounding.
    let error: Double?
    /// Blurs an image.
    let blurred: (Image) throws -> Image
  }

  /// A method of the library.
  init(_ method: VariableMethod, _ subject: Subject) {
    self.init(method, subject) { layout, mask, subject in
      let plan = try VariableBlurPlan(
        for: layout, sigma: subject.sigma.x, mask: mask, edge: subject.edge, method: method,
        isa: subject.instructionSet, threads: subject.threads)
      return Planned(error: plan.error) { image in
        var result = try Image(image.layout)
        try plan.blur(image, into: &result)
        return result
      }
    }
  }

  /// Any method, or in a test a wrong one.
  init(
    _ method: VariableMethod, _ subject: Subject,
    plan: @escaping (ImageLayout, Image, Subject) throws -> Planned
  ) {
    (self.method, self.subject, self.plan) = (method, subject, plan)
  }

  /// How far a result may be from the method's own definition, in levels, before the result is rounded: the
  /// blurs that are mixed keep within a level after their rounding, and the mixture is rounded once more.
  var allowance: Double {
    let code = subject.format.codeInLevels
    // Two passes are as exact as windows are wide.
    return method == .twoPass ? (code == 1 ? 0.75 : code / 2 + 0.01) : (code == 1 ? 2 : 1 + code)
  }

  /// Images with masks: each shape on a picture, and lines of one pixel.
  func cases() throws -> [(image: Image, mask: Image, name: String)] {
    let sizes: [(MaskShape, Int, Int)] = [
      (.linear, 25, 19), (.radial, 18, 27), (.scattered, 21, 17), (.linear, 1, 23), (.radial, 22, 1),
      (.scattered, 1, 1),
    ]
    return try sizes.map { shape, width, height in
      let layout = try ImageLayout(subject.format, width: width, height: height)
      return (
        try TestImage.noise.image(layout, seed: 3), try shape.mask(width: width, height: height),
        "mask \(shape), \(width)x\(height)"
      )
    }
  }

  /// The largest distance from what a method is, or should be, over all cases.
  func check(
    against method: VariableMethod?, within bound: (Planned) -> Double?
  ) throws -> Finding? {
    var worst: Finding?
    for (image, mask, name) in try cases() {
      let planned = try plan(image.layout, mask, subject)
      let truth = Truth.of(image, sigma: subject.sigma.x, mask: mask, edge: subject.edge, method: method)
      let result = try planned.blurred(image)
      let deviation = result.withView { truth.unroundedDeviation(of: $0) }
      if let bound = bound(planned), deviation.maxLevels > bound {
        throw Violation(
          "\(name): \(deviation.description); at most \(bound.inLevels)", deviation,
          FailureImages(source: image, result: result, truth: truth, around: deviation))
      }
      if deviation.maxLevels > worst?.deviation?.maxLevels ?? -1 { worst = Finding(name, deviation) }
    }
    return worst
  }
}

extension Truth {
  /// How far a result is from this truth, which is not rounded.
  fileprivate func unroundedDeviation(of result: ImageView) -> Deviation {
    var meter = DeviationMeter(layout)
    for (row, y) in rows.enumerated() {
      for (i, value) in result.values(ofRow: y).enumerated() {
        meter.add(value - values[row * layout.rowComponents + i], same: false, i, y)
      }
    }
    return meter.deviation
  }
}
