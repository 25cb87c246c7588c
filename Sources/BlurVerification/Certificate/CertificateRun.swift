import Blur

/// The certificates that `blurbench certify` makes: one for each combination of kernel, sigma, format, edge
/// mode and instruction set.
public struct CertificateRun: Sendable {
  /// The kernels, and the conditions under which each of them is certified.
  public let subjects: [(kernel: Kernel, subject: Subject)]
  /// The time in seconds that a single certificate may take.
  public let limit: Double

  /// Creates a run that makes one certificate for each combination of kernel, format, sigma, edge mode and
  /// instruction set.
  ///
  /// - Parameters:
  ///   - instructionSets: The instruction sets to use. If nil, each kernel uses only the widest instruction
  ///     set that both the kernel and the CPU support.
  ///   - limit: The time in seconds that a single certificate may take.
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

  /// Creates a run that certifies a kernel under the conditions of a verification run.
  public init(_ kernel: Kernel, _ conditions: VerificationRun, limit: Double) throws(BlurError) {
    (subjects, self.limit) = (try conditions.subjects(kernel, .certificate).map { (kernel, $0) }, limit)
  }

  /// Returns a verification run that describes the conditions of one certificate. The run can be sent to
  /// another process, which then makes the certificate.
  public static func conditions(_ kernel: Kernel, _ subject: Subject) -> VerificationRun {
    Check(kernel, .certificate, subject, failure: "").run
  }

  /// Makes a certificate for each combination of kernel, format, sigma, edge mode and instruction set. A
  /// combination that cannot be certified becomes a row that is marked as skipped.
  ///
  /// - Parameter progress: A closure that is called before each certificate. Its arguments are the index of
  ///   this certificate, starting at 1, and the total number of certificates.
  public func report(progress: (_ number: Int, _ all: Int) -> Void = { _, _ in }) -> [CertificateRow] {
    subjects.enumerated().map { index, item in
      progress(index + 1, subjects.count)
      do {
        return CertificateRow(try Certificate.of(item.kernel, item.subject, limit: limit))
      } catch let error where Self.isFailure(error) {
        return CertificateRow(item.kernel, item.subject, failure: "\(error)")
      } catch {
        let remedy = if case Certificate.Obstacle.tooLong = error { "; raise --limit" } else { "" }
        return CertificateRow(item.kernel, item.subject, skipped: "\(error)\(remedy)")
      }
    }
  }

  /// Returns whether the kernel is to blame for `error`, which was thrown while a certificate was being made.
  private static func isFailure(_ error: any Error) -> Bool {
    switch error {
    case Certificate.Obstacle.notFinite, BlurError.failed: true
    default: false
    }
  }
}
