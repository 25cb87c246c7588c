import Blur
import Foundation

extension VerificationRun {
  /// Returns all conditions under which a property of a kernel is checked, in the order of the checks. Each
  /// subject is a combination of format, sigma, edge mode, image, instruction set and number of threads.
  ///
  /// - Parameter support: What the kernel supports, if another process has already found out, or nil.
  /// - Throws: ``Blur/BlurError/invalidSigma(_:)`` if the property has an invalid sigma in its scope. The
  ///   sigmas of all properties of this library are valid.
  public func subjects(
    _ kernel: Kernel, _ property: Property, _ support: KernelSupport? = nil
  ) throws(BlurError) -> [Subject] {
    try groups(kernel, property, support).flatMap(\.subjects)
  }

  /// Determines which formats, edge modes and sigmas the kernel supports. Only the formats, edge modes and
  /// sigmas that the property uses for its random subjects are tried. Returns nil if the property is not
  /// checked with random subjects.
  public func support(of kernel: Kernel, _ property: Property) -> KernelSupport? {
    let scope = property.scope
    guard scope.drawnShare != nil, images == nil else { return nil }
    return KernelSupport(of: kernel, formats ?? scope.formats, edgeNames ?? scope.edges, scope.sigmas)
  }

  /// Returns the subjects of ``subjects(_:_:_:)`` in groups. The subjects of a group differ only in the
  /// instruction set and the number of threads. The `place` of a group is the index of the group's first
  /// subject in the list of all subjects.
  func groups(
    _ kernel: Kernel, _ property: Property, _ support: KernelSupport? = nil
  ) throws(BlurError) -> [(place: Int, subjects: [Subject])] {
    let sets = sets(of: kernel)
    let widest = [kernel.instructionSet(upTo: .best)]
    let subjects =
      if let support = support ?? self.support(of: kernel, property) {
        try drawn(property.scope, support)
      } else {
        try self.subjects(property)
      }
    var place = 0
    return subjects.map { subject in
      let includesAll = instructionSets != nil || property.scope.includesNarrowSets(subject)
      let subjects = (includesAll ? sets : widest).flatMap { set in
        threads.map { threads in
          var subject = subject
          (subject.instructionSet, subject.threads) = (set, threads)
          return subject
        }
      }
      defer { place += subjects.count }
      return (place, subjects)
    }
  }

  /// Returns the instruction sets with which a kernel is checked.
  private func sets(of kernel: Kernel) -> [InstructionSet] {
    guard includesWidest else { return instructionSets ?? kernel.instructionSets.filter(\.isAvailable) }
    let sets = (instructionSets ?? []) + [kernel.instructionSet(upTo: .best)]
    return InstructionSet.allCases.filter(sets.contains)
  }

  /// Returns the subjects with which a property is checked: all combinations of format, sigma, edge mode and
  /// image. This method is not used for properties that are checked with random subjects.
  private func subjects(_ property: Property) throws(BlurError) -> [Subject] {
    let scope = property.scope
    var sigmas = self.sigmas ?? []
    if self.sigmas == nil { for sigma in scope.sigmas { sigmas.append(try Sigma(sigma)) } }
    let (formats, edges) = (formats ?? scope.formats, edgeNames ?? scope.edges)
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

  /// Returns random subjects that the kernel supports. They are the same in each run.
  private func drawn(_ scope: Property.Scope, _ support: KernelSupport) throws(BlurError) -> [Subject] {
    var random = SplitMix64(seed: 1)
    var subjects: [Subject] = []
    for image in scope.images {
      // The loop runs once for each format of the library, so that every kernel gets about the same number of
      // subjects, even if it supports fewer formats.
      for turn in PixelFormat.allCases.indices where random.nextShare() < scope.drawnShare ?? 1 {
        let taken = support.formats[turn % support.formats.count]
        guard let format = PixelFormat(rawValue: taken.name),
          let edge = Subject.edge(named: taken.edges[random.next(below: taken.edges.count)], for: format)
        else { continue }
        subjects.append(Subject(format, sigma: try Sigma(0), edge: edge, image: image))
      }
    }
    subjects.shuffle(using: &random)
    // The subjects are checked in this order until the time limit has passed. Sigmas are assigned only now,
    // after the shuffle, so that even the first few subjects cover the range of sigmas without large gaps.
    var sequence = SigmaSequence(support)
    for index in subjects.indices {
      if let sigmas {
        subjects[index].sigma = sigmas[random.next(below: sigmas.count)]
      } else {
        subjects[index].sigma = try sequence.next(&random)
      }
    }
    return subjects
  }

  /// Returns rows of the report about instruction sets that this CPU lacks. For each kernel, there is one row
  /// for each of these instruction sets that the kernel has code for. The rows are marked as skipped.
  public func lackingSets(of kernels: [Kernel]) -> [VerificationSummary] {
    kernels.flatMap { kernel in
      kernel.instructionSets.filter { !$0.isAvailable && instructionSets?.contains($0) != false }.map {
        VerificationSummary(
          kernel: kernel.name, property: $0.name, skipped: BlurError.unavailable($0).description)
      }
    }
  }
}

/// A generator of sigmas for random test cases. About half of them are taken from ``KernelSupport/sigmas``.
/// The others cover the whole range of these sigmas without large gaps.
private struct SigmaSequence {
  private let named: [Double]
  private let isSquare: Bool
  private let range: (low: Double, high: Double)
  private var share = 0.5

  /// The smallest sigma at which an 8-bit blur differs from a copy.
  private static let leastVisible = 0.2

  init(_ support: KernelSupport) {
    (named, isSquare) = (support.sigmas, support.isSquare)
    let low = named.filter { $0 >= Self.leastVisible }.min() ?? named.max() ?? 0
    range = (low, named.max() ?? 0)
  }

  /// Returns the next sigma. In a quarter of the cases, the sigmas of the two axes differ, either slightly or
  /// by any amount. They never differ if the kernel supports only equal sigmas.
  mutating func next(_ random: inout SplitMix64) throws(BlurError) -> Sigma {
    // Half of the sigmas come from a low-discrepancy sequence: each new position in the range is the previous
    // one plus the golden ratio, modulo 1. Such a position always lies in one of the largest gaps between the
    // earlier positions.
    let isNamed = random.next(below: 2) == 0
    if !isNamed { share = (share + 0.618_033_988_749_895).truncatingRemainder(dividingBy: 1) }
    let x = isNamed ? named[random.next(below: named.count)] : sigma(at: share)
    let near = min(Self.rounded(x * Foundation.pow(1.25, 2 * random.nextShare() - 1)), range.high)
    return switch isSquare ? 2 : random.next(below: 8) {
    case 0: try Sigma(x: x, y: sigma(at: random.nextShare()))
    case 1: try Sigma(x: x, y: near)
    default: try Sigma(x)
    }
  }

  /// Returns the sigma at position `share` on a logarithmic scale, which begins with the smallest sigma at 0
  /// and ends with the largest one at 1.
  private func sigma(at share: Double) -> Double {
    range.low > 0 ? Self.rounded(range.low * Foundation.pow(range.high / range.low, share)) : 0
  }

  private static func rounded(_ sigma: Double) -> Double { (sigma * 1000).rounded() / 1000 }
}
