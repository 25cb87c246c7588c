import Blur
import Foundation

extension VerificationRun {
  /// Subjects that differ in their instruction set and threads alone, and the place of the first among all.
  struct Group: Sendable {
    let place: Int
    let subjects: [Subject]
  }

  /// What a property of a kernel is checked on, in order.
  ///
  /// - Throws: ``Blur/BlurError/invalidSigma(_:)``, which no sigma of a scope does.
  public func subjects(_ kernel: Kernel, _ property: Property) throws(BlurError) -> [Subject] {
    try groups(kernel, property).flatMap(\.subjects)
  }

  /// The same, in groups.
  func groups(_ kernel: Kernel, _ property: Property) throws(BlurError) -> [Group] {
    let all = sets(of: kernel).flatMap { set in threads.map { (set, $0) } }
    return try subjects(property).enumerated().map { number, subject in
      let subjects = all.map { set, threads in
        var subject = subject
        (subject.instructionSet, subject.threads) = (set, threads)
        return subject
      }
      return Group(place: number * all.count, subjects: subjects)
    }
  }

  /// The instruction sets that a kernel is checked with.
  private func sets(of kernel: Kernel) -> [InstructionSet] {
    guard includesWidest else { return instructionSets ?? kernel.instructionSets.filter(\.isAvailable) }
    let sets = (instructionSets ?? []) + [kernel.instructionSet(upTo: .best)]
    return InstructionSet.allCases.filter(sets.contains)
  }

  /// The subjects of a property, for one instruction set.
  private func subjects(_ property: Property) throws(BlurError) -> [Subject] {
    let scope = property.scope
    var sigmas = self.sigmas ?? []
    if self.sigmas == nil { for sigma in scope.sigmas { sigmas.append(try Sigma(sigma)) } }
    let (formats, edges) = (formats ?? scope.formats, edgeNames ?? scope.edges)
    if let share = scope.drawnShare, images == nil {
      return try drawn(scope.images, share, formats, sigmas, edges)
    }
    let images: [SampleImage?] = scope.images.isEmpty ? [nil] : images ?? scope.images
    var subjects: [Subject] = []
    for format in formats {
      for sigma in sigmas {
        for edge in edges.compactMap({ Subject.edge(named: $0, for: format) }) {
          subjects += images.map { Subject(format, sigma: sigma, edge: edge, image: $0) }
        }
      }
    }
    return subjects
  }

  /// Images in some of the formats, each with a sigma by axis and an edge mode that are drawn; in no order,
  /// but the same each time.
  private func drawn(
    _ images: [SampleImage], _ share: Double, _ formats: [PixelFormat], _ sigmas: [Sigma], _ edges: [String]
  ) throws(BlurError) -> [Subject] {
    var random = SplitMix64(seed: 1)
    var subjects: [Subject] = []
    for image in images {
      for format in formats {
        let isTried = random.nextShare() < share
        let sigma =
          self.sigmas == nil ? try drawnSigma(sigmas, &random) : sigmas[random.next(below: sigmas.count)]
        let edge = Subject.edge(named: edges[random.next(below: edges.count)], for: format)
        guard isTried, let edge else { continue }
        subjects.append(Subject(format, sigma: sigma, edge: edge, image: image))
      }
    }
    return subjects.shuffled(using: &random)
  }

  /// One of the sigmas or one between them, on a logarithmic scale; in a quarter of the cases another for
  /// each axis, nearly the same or any.
  private func drawnSigma(
    _ sigmas: [Sigma], _ random: inout SplitMix64
  ) throws(BlurError) -> Sigma {
    func one() -> Double {
      let (low, high) = (
        sigmas[random.next(below: sigmas.count)].x, sigmas[random.next(below: sigmas.count)].x
      )
      let share = random.nextShare()
      return random.next(below: 2) == 0 || min(low, high) == 0
        ? low : (low * Foundation.pow(high / low, share) * 1000).rounded() / 1000
    }
    let (x, y) = (one(), one())
    let near = (x * Foundation.pow(1.25, 2 * random.nextShare() - 1) * 1000).rounded() / 1000
    return switch random.next(below: 8) {
    case 0: try Sigma(x: x, y: y)
    case 1: try Sigma(x: x, y: near)
    default: try Sigma(x)
    }
  }

  /// A skipped row for each instruction set that a kernel has code for, and this CPU lacks.
  public func lackingSets(of kernels: [Kernel]) -> [VerificationSummary] {
    kernels.flatMap { kernel in
      kernel.instructionSets.filter { !$0.isAvailable && instructionSets?.contains($0) != false }.map {
        VerificationSummary(
          kernel: kernel.name, property: $0.name, skipped: BlurError.unavailable($0).description)
      }
    }
  }
}
