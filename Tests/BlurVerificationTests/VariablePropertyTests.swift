import Blur
import Synchronization
import Testing

@testable import BlurVerification

/// A deliberately wrong blur of variable sigma, and the property that must detect it.
struct WrongVariable: CustomTestStringConvertible, Sendable {
  let testDescription: String
  var method = VariableMethod.levels
  let property: @Sendable (VariableUnderTest) throws -> Finding?
  /// Changes the mask before the blur is planned, to imitate a mistake. The closures `image` and `result`
  /// below change the source and the result.
  var mask: @Sendable (Image) throws -> Image = { $0 }
  var image: @Sendable (Image) throws -> Image = { $0 }
  var result: @Sendable (Image) throws -> Image = { $0 }
  var stated = 1.0

  static let all = [
    WrongVariable(
      testDescription: "the mask upside down, by the truth", property: { try $0.isNearTruth() },
      mask: { try $0.flippedDown() }),
    WrongVariable(
      testDescription: "an image of the other direction, by the truth", property: { try $0.isNearTruth() },
      image: { try $0.flippedAcross() }, result: { try $0.flippedAcross() }),
    WrongVariable(
      testDescription: "half the mask's last bits, by the definition", method: .layers,
      property: { try $0.isAsDefined() },
      mask: { mask in
        try mask.withView { view in
          try Image.painted(mask.layout) { x, y, _ in max(0, view.value(x, y) - 12) }
        }
      }),
    WrongVariable(
      testDescription: "one more in a mask, by the plain blurs that are mixed", method: .layers,
      property: { try $0.isPlain() },
      mask: { mask in
        try mask.withView { view in
          try Image.painted(mask.layout) { x, y, _ in min(255, view.value(x, y) + 1) }
        }
      }),
    WrongVariable(
      testDescription: "2 of 255 too bright, by a picture of one colour",
      property: { try $0.leavesConstants() },
      result: { try $0.brightened(by: 2.0 / 255) }),
    WrongVariable(
      testDescription: "2 of 255 too bright, by a mask of 0", property: { try $0.leavesZeros() },
      result: { try $0.brightened(by: 2.0 / 255) }),
    WrongVariable(
      testDescription: "a mask read without its padding, by padded masks",
      property: { try $0.ignoresMaskPadding() },
      mask: { mask in
        let bytes = mask.bytes
        return try Image.painted(ImageLayout(.gray8, width: mask.layout.width, height: mask.layout.height)) {
          x, y, _ in Double(bytes[y * mask.layout.width + x])
        }
      }),
    WrongVariable(
      testDescription: "the image as it is, by a mask of 0", method: .crossFade,
      property: { try $0.leavesZeros() },
      mask: { mask in try Image.painted(mask.layout) { _, _, _ in 0 } }),
    WrongVariable(
      testDescription: "a mask of 254 for 255, by the plain blur", method: .crossFade,
      property: { try $0.isPlain() },
      mask: { mask in try Image.painted(mask.layout) { _, _, _ in 254 } }),
    WrongVariable(
      testDescription: "two passes of half the sigma, by the plain blur", method: .twoPass,
      property: { try $0.isPlain() },
      mask: { mask in try Image.painted(mask.layout) { _, _, _ in 128 } }),
    WrongVariable(
      testDescription: "layers that state the error of levels, by the certificate", method: .layers,
      property: { try $0.keepsCertificate() }, stated: 1.0 / 50),
    WrongVariable(
      testDescription: "what is not linear, by the certificate", property: { try $0.keepsCertificate() },
      result: { image in
        try image.withView { view in
          try Image.painted(image.layout) { x, y, _ in view.value(x, y) * view.value(x, y) }
        }
      }, stated: .infinity),
  ]
}

extension Image {
  fileprivate func brightened(by share: Double) throws -> Image {
    try withView { view in
      try Image.painted(layout) { x, y, c in
        view.value(x * layout.format.channels + c, y) + share * layout.format.fullScale
      }
    }
  }
}

@Suite("Properties of variable blurs")
struct VariablePropertyTests {
  private func subject(_ property: Property, _ format: PixelFormat) throws -> Subject {
    let edge = Subject.edge(named: property.scope.edges.last ?? "clamp", for: format) ?? .clamp
    return Subject(format, sigma: try Sigma(property.scope.sigmas.last ?? 3), edge: edge)
  }

  @Test(
    "Every method has every property", arguments: Kernel.variable.map(\.name),
    Property.variableOnly.map(\.name))
  func methods(kernel name: String, property: String) throws {
    let kernel = try #require(Kernel.variable.first { $0.name == name })
    let property = try #require(Property.variableOnly.first { $0.name == property })
    for format in [PixelFormat.gray8, .rgba16, .grayf32] where property.scope.formats.contains(format) {
      let outcome = property.check(kernel, try subject(property, format))
      // The method two-pass states no error that its results could exceed.
      if case .skipped("the method states no error, so its error is only measured", .some) = outcome,
        name == "two-pass", property.name == "variable-truth"
      {
        continue
      }
      guard case .passed = outcome else {
        Issue.record("\(name) \(property.name) \(format): \(outcome.message)")
        continue
      }
    }
  }

  @Test(
    "Properties that every blur must have are also checked for the methods",
    arguments: Kernel.variable.map(\.name))
  func common(name: String) throws {
    let kernel = try #require(Kernel.variable.first { $0.name == name })
    for property in [Property.threads, .guards, .strides, .crops, .overlap, .repeatable] {
      let outcome = property.check(
        kernel,
        Subject(
          .rgb8, sigma: try Sigma(2.5), edge: .mirror, instructionSet: kernel.instructionSet(upTo: .best)))
      guard case .passed = outcome else {
        Issue.record("\(name) \(property.name): \(outcome.message)")
        continue
      }
    }
  }

  @Test("A wrong method is detected by the property that is meant for it", arguments: WrongVariable.all)
  func wrong(_ wrong: WrongVariable) throws {
    let format: PixelFormat = wrong.testDescription.contains("certificate") ? .grayf32 : .gray8
    let subject = Subject(format, sigma: try Sigma(4), edge: .mirror)
    #expect(throws: Never.self) { try wrong.property(VariableUnderTest(wrong.method, subject)) }
    let test = VariableUnderTest(wrong.method, subject) { layout, mask, subject in
      let right = VariableUnderTest(wrong.method, subject)
      let planned = try right.plan(layout, wrong.mask(mask), subject)
      return VariableUnderTest.Planned(error: planned.error.map { $0 * wrong.stated }) {
        try wrong.result(planned.blurred(wrong.image($0)))
      }
    }
    #expect(throws: Violation.self) { try wrong.property(test) }
  }

  @Test("A plan that two threads can disturb is detected")
  func disturbed() throws {
    let subject = Subject(.gray8, sigma: try Sigma(4), edge: .mirror)
    let test = VariableUnderTest(.layers, subject) { layout, mask, subject in
      let planned = try VariableUnderTest(.layers, subject).plan(layout, mask, subject)
      let latest = Mutex<Image?>(nil)
      // If another thread begins a blur meanwhile, the result is the image as it is.
      return VariableUnderTest.Planned(error: planned.error) { image in
        latest.withLock { $0 = image }
        let result = try planned.blurred(image)
        return latest.withLock { $0.map { $0 == image } } == true ? result : image
      }
    }
    #expect(throws: Violation.self) { try test.canBeShared() }
    #expect(throws: Never.self) { try VariableUnderTest(.layers, subject).canBeShared() }
  }

  @Test("Kernels and methods have different properties, and those that do not apply are skipped")
  func applies() throws {
    let (kernel, method) = (try Registry.kernel(named: "simd"), try #require(Kernel.variable.first))
    let subject = Subject(.gray8, sigma: try Sigma(1))
    for property in Property.variableOnly {
      #expect(!property.applies(to: kernel) && property.applies(to: method))
      #expect(property.check(kernel, subject).reason?.contains("simd") == true)
    }
    #expect(Property.truth.applies(to: kernel) && !Property.truth.applies(to: method))
    #expect(Property.truth.check(method, subject).reason?.contains("levels") == true)
  }

  @Test("The stored goldens of masks equal the reference", arguments: VariableGolden.all)
  func goldens(golden: VariableGolden) throws {
    let stored = try golden.stored(in: GoldenTests.folder)
    let truth = try golden.truth()
    #expect(stored.withView { truth.deviation(of: $0, tieMargin: 1e-9) }.maxLevels == 0, "\(golden.fileName)")
  }

  @Test(
    "Methods match the goldens of masks, and another mask is detected", arguments: VariableMethod.allCases)
  func goldens(method: VariableMethod) throws {
    let subject = Subject(.rgba8, sigma: try Sigma(VariableGolden.sigma), edge: .mirror)
    let right = VariableUnderTest(method, subject)
    #expect(try VariableGolden.check(right, in: GoldenTests.folder) != nil)
    let wrong = VariableUnderTest(method, subject) { layout, mask, subject in
      try right.plan(layout, mask.flippedDown(), subject)
    }
    #expect(throws: Violation.self) { try VariableGolden.check(wrong, in: GoldenTests.folder) }
  }

  @Test("Masks have their documented values")
  func masks() throws {
    func values(_ shape: MaskShape, _ width: Int, _ height: Int) throws -> [[Double]] {
      try shape.mask(width: width, height: height).withView { view in
        (0..<height).map { view.values(ofRow: $0) }
      }
    }
    #expect(try values(.linear, 2, 4) == [[255, 255], [170, 170], [85, 85], [0, 0]])
    #expect(try values(.radial, 3, 3) == [[255, 180, 255], [180, 0, 180], [255, 180, 255]])
    #expect(try Set(values(.scattered, 16, 16).joined()).count == 256)
    for shape in MaskShape.allCases { #expect(try values(shape, 1, 1).count == 1) }
  }

  @Test("The reference mixes whole blurs")
  func reference() throws {
    let layout = try ImageLayout(.gray16, width: 13, height: 11)
    let image = try TestImage.noise.image(layout, seed: 2)
    // The mask has the value 51 everywhere, so sigma is 10 · 51/255 = 2. The method `layers` has blurs with
    // sigmas that are multiples of 1.25, so it mixes the blurs with sigma 1.25 and 2.5.
    let mask = try Image.painted(ImageLayout(.gray8, width: 13, height: 11)) { _, _, _ in 51 }
    let blurs = try [1.25, 2.5].map { Truth.of(image, sigma: try Sigma($0), edge: .reflect).values }
    let share = (4 - 1.5625) / (6.25 - 1.5625)
    let found = Truth.of(image, sigma: 10, mask: mask, edge: .reflect, method: .layers)
    for (i, value) in found.values.enumerated() {
      #expect(abs(value - (1 - share) * blurs[0][i] - share * blurs[1][i]) < 0.5, "\(i)")
    }
    let single = Truth.of(image, sigma: try Sigma(2), edge: .reflect).values
    for method in [nil, VariableMethod.twoPass] {
      let found = Truth.of(image, sigma: 10, mask: mask, edge: .reflect, method: method)
      #expect(zip(found.values, single).allSatisfy { abs($0 - $1) < 1e-6 })
    }
  }
}

extension VariableGolden: CustomTestStringConvertible {
  public var testDescription: String { fileName }
}
