import Blur
import TestSupport
import Testing

@testable import BlurVerification

/// A deliberately wrong kernel, and the property that must detect it.
struct WrongKernel: CustomTestStringConvertible, Sendable {
  let kernel: Kernel
  let property: Property
  var testDescription: String { "\(kernel.name) is caught by \(property.name)" }

  init<B: Mutant>(_ mutant: B.Type, _ property: Property) {
    kernel = Kernel(MutantKernel<B>())
    self.property = property
  }

  init(_ kernel: some BlurKernel, _ property: Property) {
    (self.kernel, self.property) = (Kernel(kernel), property)
  }

  static let all: [WrongKernel] = [
    WrongKernel(Copy.self, .truth),
    WrongKernel(ClampOffByOne.self, .truth),
    WrongKernel(ReflectAsMirror.self, .truth),
    WrongKernel(WrapAsClamp.self, .truth),
    WrongKernel(Nearly.self, .truth),
    WrongKernel(BlursStraight.self, .truth),
    WrongKernel(PremultipliesAgain.self, .truth),
    WrongKernel(LeavesStraight.self, .truth),
    WrongKernel(BlursStraight.self, .pixels),
    WrongKernel(MirrorsOnce.self, .shapes),
    WrongKernel(BlackConstant.self, .truth),
    WrongKernel(DarkEdges.self, .constant),
    WrongKernel(WrongSigma.self, .truth),
    WrongKernel(SwappedAxes.self, .axes),
    WrongKernel(NoZeroSigma.self, .axes),
    WrongKernel(Darkened.self, .constant),
    WrongKernel(Truncating.self, .step),
    WrongKernel(Truncating.self, .truth),
    WrongKernel(Truncating.self, .quality),
    WrongKernel(DimRow.self, .quality),
    WrongKernel(Overflowing.self, .codes),
    WrongKernel(WrongFarRight.self, .large),
    WrongKernel(WrongFarRight.self, .blocks),
    WrongKernel(MirrorsOnce.self, .edges),
    WrongKernel(ReflectsAtFarEnd.self, .edges),
    WrongKernel(DarkLastColumn.self, .edges),
    WrongKernel(ShowsThreshold(\.streamedBytes), .thresholds),
    WrongKernel(ShowsThreshold(\.copiedColumns), .thresholds),
    WrongKernel(ClampsSingleRow.self, .thin),
    WrongKernel(WrongWhereHuge(), .huge),
    WrongKernel(DarkApproximation.self, .quality),
    WrongKernel(OffCentreApproximation.self, .symmetries),
    WrongKernel(SwallowsNaN.self, .nanLocal),
    WrongKernel(OffCentre.self, .symmetries),
    WrongKernel(OffCentre.self, .impulse),
    WrongKernel(Overshooting.self, .monotone),
    WrongKernel(BlueForRed.self, .truth),
    WrongKernel(EightBitsOnly.self, .truth),
    WrongKernel(ClampsFloats.self, .truth),
    WrongKernel(AssumesPacked.self, .strides),
    WrongKernel(AssumesPacked.self, .crops),
    WrongKernel(KeepsLastRow(), .strides),
    WrongKernel(WrongByAUnit(), .shapes),
    WrongKernel(BlindToRegion.self, .region),
    WrongKernel(GridOfRegion.self, .region),
    WrongKernel(SmallHalo.self, .tiles),
    WrongKernel(HaloOffByOne.self, .tiles),
    WrongKernel(TakesCorners(), .downscaled),
    WrongKernel(PaddingWriter.self, .guards),
    WrongKernel(PaddingWriter.self, .crops),
    WrongKernel(SourceWriter.self, .guards),
    WrongKernel(ThreadSeam.self, .threads),
    WrongKernel(LostBarrier(), .threads),
    WrongKernel(SpreadingNaN.self, .nanLocal),
    WrongKernel(WrongAtSizeOne.self, .shapes),
    WrongKernel(ForgetsTail.self, .shapes),
    WrongKernel(OverwritesItself.self, .inPlace),
    WrongKernel(Remembers.self, .repeatable),
    WrongKernel(TrustsScratch.self, .repeatable),
    WrongKernel(WritesPastScratch.self, .repeatable),
    WrongKernel(WrongAfter255Blurs(), .repeatable),
    WrongKernel(SharesEightSigmas(), .repeatable),
    WrongKernel(WritesPastScratch.self, .threads),
    WrongKernel(GaussianAsBoxes.self, .truth),
    WrongKernel(UnknownSpecification.self, .truth),
    WrongKernel(LoosePromise.self, .truth),
    WrongKernel(LoosePromise.self, .certificate),
    WrongKernel(WrongSigma.self, .certificate),
    WrongKernel(GaussianAsBoxes.self, .certificate),
    WrongKernel(FlushesDenormals.self, .scale),
    WrongKernel(ClampsFloats.self, .scale),
    WrongKernel(RoundsUpTooOften.self, .bias),
    WrongKernel(PaddingWriter.self, .overlap),
    WrongKernel(ChangesRounding.self, .state),
    WrongKernel(BlocksSignals.self, .state),
    WrongKernel(LeaksMemory.self, .state),
    WrongKernel(LeaksOnTwoThreads(), .state),
    WrongKernel(LeaksWhenRefusing(), .state),
    WrongKernel(DearMirror(), .cost),
    WrongKernel(HoldsWindows(), .cost),
    WrongKernel(BlursWhenPlanning(), .cost),
    WrongKernel(NarrowWithoutPromise.self, .plausible),
    WrongKernel(CopyWithinPromise.self, .plausible),
    WrongKernel(InvertsWithoutPromise.self, .plausible),
  ]
}

@Suite struct WrongKernelTests {
  /// Returns a verification run with gray and coloured images of integers and of floats, in all edge modes.
  /// Its sigma is the smallest one at which every deliberate mistake changes the result.
  private static func run(of kernel: Kernel, _ property: Property) throws -> VerificationRun {
    var run = VerificationRun(kernels: [kernel], properties: [property])
    // If blurring the images takes long, a single format is enough.
    run.formats = property.name == Property.huge.name ? [.rgba8] : [.rgba8, .gray16, .grayf32]
    // The property `cost` only estimates costs and times planning, so it can try all its sigmas. The mistakes
    // in the costs show only at large sigmas.
    run.sigmas = property.name == Property.cost.name ? nil : [try Sigma(2.5)]
    run.images = images[property.name]
    return run
  }

  private static func run(_ kernel: Kernel, _ property: Property) throws -> [Check] {
    try run(of: kernel, property).checks()
  }

  /// The images for properties that would otherwise try very many of them. A few images are enough to detect
  /// the deliberate mistakes.
  private static let images: [String: [SampleImage]] = [
    "shapes": [(1, 1), (2, 31), (33, 3), (65, 2), (130, 1), (14, 40)], "large": [(2100, 2), (3, 513)],
    "quality": [(151, 113)], "blocks": [(2049, 1), (3, 64)], "edges": [(3, 2), (37, 29)],
    "thresholds": [(37, 29)],
  ].mapValues { $0.map { SampleImage(kind: .noise, width: $0.0, height: $0.1) } }

  @Test("Each wrong kernel is detected by the property that is meant for it", arguments: WrongKernel.all)
  func eachWrongKernelIsCaughtByItsProperty(_ wrong: WrongKernel) throws {
    let (kernel, property) = (wrong.kernel, wrong.property)
    // A single failure is enough, so nothing is checked after it.
    let isCaught = try Self.run(of: kernel, property).subjects(kernel, property)
      .contains { property.check(kernel, $0).failure != nil }
    #expect(isCaught, "\(property.name) does not notice \(kernel.name)")
  }

  @Test("Whether a kernel works on a grid depends on its plan and its promise, and not on its name")
  func grids() throws {
    func isOnGrid(_ name: String, as other: String, _ promise: Promise) throws -> Bool {
      let kernel = try Registry.kernel(named: name)
      let renamed = Kernel(name: other, summary: "", promise: promise) { (problem) throws(BlurError) in
        try kernel.plan(problem)
      }
      return KernelUnderTest(kernel: renamed, subject: Subject(.rgba8, sigma: try Sigma(5))).isOnGrid
    }
    #expect(try isOnGrid("dual-kawase", as: "mine", .approximation(levels: 122)))
    #expect(try !isOnGrid("separable", as: "dual-kawase", .approximation(levels: 122)))
    #expect(try !isOnGrid("pyramid", as: "mine", .exact()))
  }

  /// Huge images are blurred by `simd`, because the plain blur would take minutes.
  @Test("The same blur without a mistake has every property", arguments: Property.all.map(\.name))
  func theSameBlurUnbentPassesEveryProperty(_ name: String) throws {
    let property = try #require(Property.all.first { $0.name == name })
    let isHuge = name == Property.huge.name
    let kernel = isHuge ? try Registry.kernel(named: "simd") : Kernel(MutantKernel<Honest>())
    var run = try Self.run(of: kernel, property)
    if !Tiers.isAll { run.formats = [.rgba8] }
    let failures = try run.checks().compactMap(\.outcome.failure)
    #expect(failures.map(\.message) == [])
  }

  /// A kernel that promises nothing is measured, and must still have the properties that do not concern its
  /// values.
  @Test("A kernel that promises nothing is measured, and must still have the other properties")
  func whoPromisesNothingIsMeasuredAndHeldToTheRest() throws {
    let kernel = Kernel(MutantKernel<Unpromising>())
    let truth = VerificationReport(try Self.run(kernel, .truth)).rows[0]
    #expect(truth.status == .skipped && truth.message == "kernel Unpromising promises nothing")
    #expect(try #require(truth.maxErrorLevels) > 1)
    let declared = Kernel(name: "box", summary: "", promise: .notGaussian) { (problem) throws(BlurError) in
      try kernel.plan(problem)
    }
    let other = VerificationReport(try Self.run(declared, .truth)).rows[0]
    #expect(other.status == .skipped && other.message == "kernel box declares that it is not a Gaussian")
    for property in [Property.constant, .codes, .quality] {
      #expect(VerificationReport(try Self.run(kernel, property)).rows[0].status == .skipped)
    }
    #expect(VerificationReport(try Self.run(kernel, .guards)).rows[0].status == .failed)
    // The property `symmetries` applies to kernels without a promise as well. The first kernel is inaccurate
    // but symmetric, so it passes. The second kernel forgets the last pixels of a row, so it is not symmetric
    // and fails.
    #expect(VerificationReport(try Self.run(kernel, .symmetries)).rows[0].status == .passed)
    let wrong = Kernel(MutantKernel<ForgetsTail>())
    let lopsided = Kernel(name: "lopsided", summary: "", promise: .nothing) { (problem) throws(BlurError) in
      try wrong.plan(problem)
    }
    #expect(VerificationReport(try Self.run(lopsided, .symmetries)).rows[0].status == .failed)
  }

  @Test("A kernel without a promise is suspect if its results are no Gaussian, unless it declares this")
  func suspects() throws {
    func row(_ promise: Promise) throws -> VerificationSummary {
      let narrow = Kernel(MutantKernel<NarrowWithoutPromise>())
      let kernel = Kernel(name: "narrow", summary: "", promise: promise) { (problem) throws(BlurError) in
        try narrow.plan(problem)
      }
      return VerificationReport(try Self.run(kernel, .plausible)).rows[0]
    }
    let suspect = VerificationReport(rows: [try row(.nothing)])
    #expect(suspect.rows[0].status == .suspect && suspect.hasFailures)
    #expect(suspect.text.contains("SUSPECT narrow wrong: "), "\(suspect.text)")
    #expect(suspect.text.contains("the achieved sigma along rows is 0."), "\(suspect.text)")
    #expect(suspect.junit.contains("<failure"), "\(suspect.junit)")
    #expect(try row(.notGaussian).status == .skipped)
    // This promise is strict enough for the other properties to find the mistake.
    #expect(try row(.approximation(levels: 12)).status == .skipped)
  }

  @Test("A kernel without a promise is not suspect if its sigma is off by a fifth, but the report shows it")
  func achievedSigma() throws {
    let wide = Kernel(MutantKernel<LoosePromise>())
    let kernel = Kernel(name: "wide", summary: "", promise: .nothing) { (problem) throws(BlurError) in
      try wide.plan(problem)
    }
    let report = VerificationReport(try Self.run(kernel, .plausible))
    #expect(report.rows[0].status == .passed)
    #expect(report.text.contains(/achieved sigma (2\.9\d|3) instead of 2\.5/), "\(report.text)")
    // The certificate is shown, although there is no promise that it could break.
    let certificate = VerificationReport(try Self.run(kernel, .certificate)).rows[0]
    #expect(certificate.status == .skipped && certificate.certificates?.isEmpty == false)
    let row = CertificateRow(try Certificate.of(kernel, Subject(.grayf32, sigma: Sigma(2))))
    #expect(
      row.text.contains(
        "no promise to keep, but the kernel blurs with sigma 2.4 across and 2.4 down instead of 2.0"),
      "\(row.text)")
    #expect(!row.isFailure)
  }

  @Test(
    "Our own kernels would not be suspect if they promised nothing",
    arguments: Registry.kernels.filter { !$0.isDefinition }.map(\.name))
  func plausibleKernels(_ name: String) throws {
    let own = try Registry.kernel(named: name)
    let kernel = Kernel(name: name, summary: "", promise: .nothing) { (problem) throws(BlurError) in
      try own.plan(problem)
    }
    var run = VerificationRun(kernels: [kernel], properties: [.plausible])
    run.sigmas = try [0, 0.05, 0.3, 0.5, 0.79, 0.8, 1, 1.33, 1.87, 2, 2.4, 3, 9].map { try Sigma($0) }
    run.edgeNames = ["clamp"]
    #expect(try run.checks().compactMap(\.outcome.failure).map(\.message) == [])
  }

  /// A kernel that changes a constant image is reported with the value that the image has in each channel.
  @Test("A wrong constant is reported with the value of each channel")
  func constantsAreNamedByChannel() throws {
    let messages = try Self.run(Kernel(MutantKernel<Darkened>()), .constant)
      .compactMap { $0.outcome.failure?.message }
    #expect(messages.contains { $0.hasPrefix("constant image with pixels [0, 1, 127, 254]: ") })
    #expect(messages.contains { $0.wholeMatch(of: /constant image with pixels \[[0-9]+\]: .*/) != nil })
  }

  @Test("A NaN that spreads to another channel is detected, and the message names its channel")
  func channelsOfNaN() throws {
    let kernel = Kernel(MutantKernel<MixesChannelsOfNaN>())
    let subject = Subject(.rgbf32, sigma: try Sigma(2.5), edge: .mirror)
    let message = try #require(Property.nanLocal.check(kernel, subject).failure?.message)
    #expect(message.contains("in channel 1"))
    #expect(message.contains("another channel has changed"))
  }

  @Test("If a kernel does not estimate its cost, only its planning is checked")
  func costsThatAreNotCountedAreSkipped() throws {
    let row = VerificationReport(try Self.run(Kernel(MutantKernel<Honest>()), .cost)).rows[0]
    #expect(row.status == .passed && row.skipped > row.checks / 2)
    #expect(row.message == "kernel Honest does not estimate its cost")
  }

  @Test("Every property except `identity` detects some wrong kernel")
  func everyPropertyButIdentityCatchesSomething() {
    // The property `identity` checks sigma 0. The library then copies the image without calling the kernel,
    // so no wrong kernel can fail this property.
    let catching = Set(WrongKernel.all.map(\.property.name))
    #expect(Property.all.map(\.name).filter { !catching.contains($0) } == ["identity"])
  }
}
