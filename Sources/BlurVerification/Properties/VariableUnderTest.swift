import Blur

/// A method for blurring with a variable sigma, together with the conditions under which it is checked, such
/// as the format and edge mode. The checks of its properties are written in terms of this type.
struct VariableUnderTest {
  let method: VariableMethod
  let subject: Subject
  /// A closure that prepares a blur for a given layout, mask and subject.
  let plan: (ImageLayout, Image, Subject) throws -> Planned

  /// A blur that has been prepared for one layout and one mask: the error that its method states, and a
  /// closure that blurs an image.
  struct Planned: Sendable {
    /// The largest error, in levels, that mixing several ordinary blurs can cause, as stated by the method.
    /// It does not include the errors of the mixed blurs themselves and the rounding of the result. It is nil
    /// if the method states no error.
    let error: Double?
    let blurred: @Sendable (Image) throws -> Image
  }

  /// Creates a test of one of the library's methods for blurring with a variable sigma.
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

  /// Creates a test of any implementation of a method, for example a deliberately wrong one. The closure
  /// `plan` is the implementation to test. It prepares blurs.
  init(
    _ method: VariableMethod, _ subject: Subject,
    plan: @escaping (ImageLayout, Image, Subject) throws -> Planned
  ) {
    (self.method, self.subject, self.plan) = (method, subject, plan)
  }

  /// The largest allowed difference, in levels, between a result and the unrounded exact result of the
  /// method. A method mixes several rounded blurs, each of which may be wrong by one level. The mixture is
  /// then rounded once more.
  var allowance: Double {
    let code = subject.format.codeInLevels
    // The two-pass method has errors only from truncated windows and from the final rounding.
    return method == .twoPass ? (code == 1 ? 0.75 : code / 2 + 0.01) : (code == 1 ? 2 : 1 + code)
  }

  /// Returns the images and masks to check: each mask shape on an image of several rows and columns, and
  /// images of one row, one column and one pixel.
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

  /// Compares the blurs of all test images and masks with the correct results. These are the exact results of
  /// `method`, or the ideal blurs if `method` is nil.
  ///
  /// - Parameter bound: A closure that returns the largest allowed deviation in levels, or nil if it is not
  ///   limited.
  /// - Returns: The largest deviation found.
  /// - Throws: ``Violation`` if a deviation exceeds the bound.
  func check(
    against method: VariableMethod?, within bound: (Planned) -> Double?
  ) throws -> Finding? {
    try cases().map { image, mask, name in
      let planned = try plan(image.layout, mask, subject)
      let truth = Truth.of(image, sigma: subject.sigma.x, mask: mask, edge: subject.edge, method: method)
      let result = try planned.blurred(image)
      let deviation = result.withView { truth.unroundedDeviation(of: $0) }
      if let bound = bound(planned), deviation.maxLevels > bound {
        throw Violation(
          "\(name): \(deviation.off()); allowed: at most \(bound.inLevels)", deviation,
          FailureImages(source: image, result: result, truth: truth, around: deviation))
      }
      return Finding(name, deviation)
    }.worst
  }
}
