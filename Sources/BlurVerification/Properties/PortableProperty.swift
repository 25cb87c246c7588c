import Blur

extension Property {
  /// Kernels of a target, against those of the same name in this program.
  public static let portable = Property(
    "portable", "a target's integer results are bit-identical to this program's baseline, its floats near",
    scope: Scope(
      sigmas: [0.5, 1, 2.5, 5, 12, 30],
      images: [(1, 1), (37, 29), (130, 7), (5, 140), (257, 131)].map {
        SampleImage(kind: .noise, width: $0, height: $1)
      })
  ) { test in
    guard let own = Registry.kernels.first(where: { $0.name == test.kernel.name }) else {
      throw NotApplicable("this program has no kernel \(test.kernel.name)")
    }
    guard test.subject.instructionSet == .baseline else {
      throw NotApplicable("wider instruction sets round otherwise than the baseline")
    }
    guard let sample = test.subject.image else { throw NotApplicable("no image is named") }
    let image = try test.image(sample.kind, sample.width, sample.height, seed: SampleImage.seed)
    try test.skipDefinition(ifSigmaAbove: 2.5)
    let expected = try KernelUnderTest(kernel: own, subject: test.subject).blurred(image)
    let result = try test.blurred(image)
    let bound = test.format.component == .float32 ? test.toleranceOfSums(image) : 0
    try test.expectSame(result, expected, within: bound, of: image, "the target and this program")
    return Finding("apart", result.withView { a in expected.withView { Deviation.between(a, $0) } })
  }
}
