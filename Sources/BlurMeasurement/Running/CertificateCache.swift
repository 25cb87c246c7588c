import Blur
import BlurRecords
import BlurVerification

/// The certificates that a run has made. Cases that differ only in their size or number of threads share a
/// certificate.
final class CertificateCache {
  private let limit: Double
  private var certificates: [Page: Certificate?] = [:]

  private struct Page: Hashable {
    let kernel: String, subject: Subject
  }

  /// Creates an empty cache.
  ///
  /// - Parameter limit: The longest time in seconds for making a certificate. With 0, no certificates are
  ///   made.
  init(limit: Double) { self.limit = limit }

  /// Returns the certificate of a case, or nil if the kernel is not linear, does not support the case, or is
  /// too slow.
  func certificate(_ kernel: Kernel, _ item: Case) throws(BlurError) -> Certificate? {
    let workload = item.workload
    // A blur with a mask is not a convolution, so the certificate does not apply. The command `certify
    // --mask` examines the weights of such a blur.
    guard limit > 0, workload.mask == nil else { return nil }
    let subject = Subject(
      workload.layout.format, sigma: try Sigma(workload.sigma), edge: workload.edge, instructionSet: item.isa)
    let page = Page(kernel: kernel.name, subject: subject)
    if let known = certificates[page] { return known }
    let made = try certificate(kernel, subject)
    certificates[page] = .some(made)
    return made
  }

  /// Returns the certificate that the command `certify` would give. If that takes too long for an 8-bit
  /// format, the certificate is made from smaller images. It is then less certain, and if the levels of a
  /// pyramid depend on the image size, it describes a pyramid with other levels.
  private func certificate(_ kernel: Kernel, _ subject: Subject) throws(BlurError) -> Certificate? {
    do { return try Certificate.of(kernel, subject, limit: limit) } catch Certificate.Obstacle.tooLong {
      guard subject.format.component == .uint8 else { return nil }
      return try? Certificate.of(kernel, subject, isPrecise: false, limit: limit)
    } catch let obstacle as Certificate.Obstacle where obstacle.isFailure {
      throw .failed(kernel: kernel.name, reason: obstacle.description)
    } catch { return nil }
  }
}
