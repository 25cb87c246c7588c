import Blur

/// Kernels × sigmas × formats × edge modes × instruction sets: what `blurbench certify` runs.
public struct CertificateRun: Sendable {
  private let subjects: [(kernel: Kernel, subject: Subject)]
  private let limit: Double

  /// - Parameters:
  ///   - instructionSets: those to use; nil for each kernel's widest.
  ///   - limit: seconds that one certificate may take.
  public init(
    kernels: [Kernel], formats: [PixelFormat], sigmas: [Sigma], edges: [EdgeMode] = [.clamp],
    instructionSets: [InstructionSet]? = nil, limit: Double
  ) {
    var subjects: [(kernel: Kernel, subject: Subject)] = []
    for kernel in kernels {
      let sets = instructionSets ?? [kernel.instructionSet(upTo: .best)]
      for (sigma, format) in sigmas.flatMap({ sigma in formats.map { (sigma, $0) } }) {
        for (edge, set) in edges.flatMap({ edge in sets.map { (edge, $0) } }) {
          subjects.append((kernel, Subject(format, sigma: sigma, edge: edge, instructionSet: set)))
        }
      }
    }
    self.subjects = subjects
    self.limit = limit
  }

  /// Certifies everything; what cannot be certified becomes a skipped row.
  ///
  /// - Parameter progress: called before each certificate, with its number and the number of all.
  public func report(progress: (_ number: Int, _ all: Int) -> Void = { _, _ in }) -> CertificateReport {
    CertificateReport(
      subjects.enumerated().map { index, item in
        progress(index + 1, subjects.count)
        do {
          return CertificateRow(try Certificate.of(item.kernel, item.subject, limit: limit))
        } catch let error where Self.isFailure(error) {
          return CertificateRow(item.kernel, item.subject, failure: "\(error)")
        } catch {
          let remedy = if case Certificate.Obstacle.tooLong = error { ": raise --limit" } else { "" }
          return CertificateRow(item.kernel, item.subject, skipped: "\(error)\(remedy)")
        }
      })
  }

  /// Whether it is the kernel's fault that there is no certificate.
  private static func isFailure(_ error: any Error) -> Bool {
    switch error {
    case Certificate.Obstacle.notFinite, BlurError.failed: true
    default: false
    }
  }

  /// Rows that say how a kernel failed while it was certified.
  public func failed(_ reason: String) -> [CertificateRow] {
    subjects.map { CertificateRow($0.kernel, $0.subject, failure: reason) }
  }
}
