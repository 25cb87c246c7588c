import Blur
import Foundation
import Testing

@testable import BlurVerification

/// A kernel that supports one format and one edge mode, and is far off at sigmas from 4 to 4.2.
private struct WrongInANarrowBand: BlurKernel {
  let name = "narrow"
  let summary = "deliberately wrong"
  let promise: Promise
  static let band = 4.0...4.2
  private let right: Kernel

  init() throws {
    right = try Registry.kernel(named: "simd")
    promise = right.promise
  }

  func plan(_ problem: BlurProblem) throws(BlurError) -> any Plan {
    guard problem.layout.format == .rgb16 else { throw unsupported("format \(problem.layout.format)") }
    guard problem.edge == .reflect else { throw unsupported("edge \(problem.edge.name)") }
    var problem = problem
    if Self.band.contains(problem.sigma.x) { problem.sigma = try Sigma(1.1 * problem.sigma.x) }
    return try right.plan(problem)
  }

  func unsupported(_ what: String) -> BlurError { .unsupported(kernel: name, reason: what) }
}

/// A kernel that supports only sigmas from 2 to 40 which are equal for both axes.
private struct FewSigmas: BlurKernel {
  let name = "few-sigmas"
  let summary = "refuses sigmas"
  let promise = Promise.exact()

  func plan(_ problem: BlurProblem) throws(BlurError) -> any Plan {
    guard problem.sigma.x == problem.sigma.y, (2...40).contains(problem.sigma.x) else {
      throw .unsupported(kernel: name, reason: "sigma \(problem.sigma.spelled)")
    }
    return try Registry.kernel(named: "simd").plan(problem)
  }
}

/// A kernel that rejects sigmas between 0 and 2, and that swaps the axes if `isSwapped` is true.
private struct FromTwo: BlurKernel {
  let name = "from-two"
  let summary = "refuses small sigmas"
  let promise = Promise.exact()
  let isSwapped: Bool

  func plan(_ problem: BlurProblem) throws(BlurError) -> any Plan {
    guard [problem.sigma.x, problem.sigma.y].allSatisfy({ $0 == 0 || $0 >= 2 }) else {
      throw .unsupported(kernel: name, reason: "sigma below 2")
    }
    var problem = problem
    if isSwapped { problem.sigma = try Sigma(x: problem.sigma.y, y: problem.sigma.x) }
    return try Registry.kernel(named: "simd").plan(problem)
  }
}

@Suite struct DrawnSubjectTests {
  /// The property `axes` checks that each axis gets its own sigma. For this, it chooses pairs of different
  /// sigmas, and skips those that the kernel rejects.
  @Test("A kernel that rejects small sigmas is still checked for swapped axes", arguments: [2.5, 5])
  func aKernelThatRefusesSmallSigmasIsTriedOnBothAxes(_ sigma: Double) throws {
    for isSwapped in [false, true] {
      let subject = Subject(.gray8, sigma: try Sigma(sigma))
      let outcome = Property.axes.check(Kernel(FromTwo(isSwapped: isSwapped)), subject)
      #expect((outcome.failure != nil) == isSwapped && outcome.reason == nil, "\(outcome.message)")
    }
  }

  /// The number of random checks that the tests below look at. A fast kernel easily gets through this many
  /// within two seconds. The subject of each check is a format, a sigma, an edge mode and an image.
  private static let few = 600

  @Test(
    "Every kernel gets the same number of subjects, and it supports all of them",
    arguments: [Property.shapes, .large].map(\.name))
  func anyKernelGetsAsManySubjectsThatItTakes(_ name: String) throws {
    let property = try #require(Property.all.first { $0.name == name })
    let run = VerificationRun()
    let all = try run.subjects(Registry.kernel(named: "separable"), property)
    let narrow = try run.subjects(Kernel(WrongInANarrowBand()), property)
    #expect(narrow.count == all.count)
    #expect(narrow.allSatisfy { $0.format == .rgb16 && $0.edge == .reflect })
    let few = try run.subjects(Kernel(FewSigmas()), property)
    #expect(few.count == all.count)
    #expect(few.allSatisfy { $0.sigma.x == $0.sigma.y && (2...40).contains($0.sigma.x) })
    #expect(Set(few.map(\.format)) == Set(PixelFormat.allCases))
    #expect(Set(few.map(\.edgeName)) == Set(Subject.edgeNames))
  }

  /// Each random check has a subject: a format, sigma, edge mode and image. If the user selects some formats,
  /// edge modes or sigmas, subjects are drawn only from these. If the kernel rejects all of them, some
  /// subjects are drawn nevertheless, so that the report can contain the kernel's error message.
  @Test("Subjects have only the formats, edge modes and sigmas that the user asks for")
  func choicesLimitWhatIsDrawn() throws {
    let kernel = try Kernel(WrongInANarrowBand())
    var run = VerificationRun()
    (run.formats, run.edgeNames) = ([.gray8, .rgb16], ["wrap"])
    let refused = try run.subjects(kernel, .shapes)
    #expect(Set(refused.map(\.format)) == [.gray8, .rgb16] && refused.allSatisfy { $0.edge == .wrap })
    (run.edgeNames, run.sigmas) = (nil, [try Sigma(x: 4, y: 1)])
    let taken = try run.subjects(kernel, .shapes)
    #expect(taken.allSatisfy { $0.format == .rgb16 && $0.edge == .reflect && $0.sigma == run.sigmas?[0] })
  }

  /// The sigmas of the first checks leave no large gaps: every range from s to 1.06 s contains one of them.
  /// So the checks also find a mistake that occurs only in a narrow range of sigmas.
  @Test("Neighbouring sigmas of the first subjects differ by less than 6 %")
  func sigmasLeaveNoGap() throws {
    let subjects = try VerificationRun().subjects(Kernel(WrongInANarrowBand()), .shapes)
    let sigmas = subjects.prefix(Self.few).map(\.sigma.x).sorted()
    let gaps = zip(sigmas, sigmas.dropFirst()).map { ($0, $1 / $0) }
    #expect(sigmas.first == 0.3 && sigmas.last == 130)
    for (sigma, ratio) in gaps { #expect(ratio < 1.06, "between \(sigma) and \(sigma * ratio)") }
  }

  @Test("A mistake in a narrow range of sigmas is found, and other sigmas pass")
  func aMistakeInANarrowBandIsFound() throws {
    let kernel = try Kernel(WrongInANarrowBand())
    let subjects = try VerificationRun().subjects(kernel, .shapes).prefix(Self.few)
    let (inside, outside) = (
      subjects.filter { WrongInANarrowBand.band.contains($0.sigma.x) },
      subjects.filter { !WrongInANarrowBand.band.contains($0.sigma.x) }.prefix(40)
    )
    func outcomes(_ subjects: some Sequence<Subject>) -> [CheckOutcome] {
      subjects.map { Property.shapes.check(kernel, $0) }
    }
    #expect(outcomes(inside).contains { $0.failure != nil })
    #expect(outcomes(outside).compactMap { $0.failure?.message ?? $0.reason } == [])
  }

  /// An external kernel runs in a server process, which reports the formats, sigmas and edge modes that the
  /// kernel supports. With this report, the parent process can choose the same random checks without having
  /// the kernel itself.
  @Test("From what a server reports about its kernel, the parent process draws the same subjects")
  func supportTravels() throws {
    let kernel = Kernel(FewSigmas())
    let run = VerificationRun()
    let support = try #require(run.support(of: kernel, .shapes))
    let read = try JSONDecoder().decode(KernelSupport.self, from: JSONEncoder().encode(support))
    let placeholder = try Registry.kernel(named: "separable")
    #expect(try run.subjects(placeholder, .shapes, read) == run.subjects(kernel, .shapes))
    #expect(run.support(of: kernel, .truth) == nil)
  }
}
