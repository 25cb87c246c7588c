import Blur

extension Property {
  /// Compares kernels in another program, for example in a build for another machine (the target), with the
  /// kernels of the same names in this program.
  public static let portable = Property(
    "portable",
    "baseline results on another machine equal those of this program; float results may differ by rounding",
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
      throw NotApplicable("only the baseline is compared, because wider instruction sets round differently")
    }
    let sample = try test.sample
    let image = try test.image(sample.kind, sample.width, sample.height, seed: SampleImage.seed)
    try test.skipDefinition(ifSigmaAbove: 2.5)
    let expected = try KernelUnderTest(kernel: own, subject: test.subject).blurred(image)
    let result = try test.blurred(image)
    let bound = test.format.component == .float32 ? test.toleranceOfSums(image) : 0
    try test.expectSame(
      result, expected, within: bound, of: image, "result of the target compared with this program")
    return Finding("difference between the target and this program", Deviation.between(result, expected))
  }
}
