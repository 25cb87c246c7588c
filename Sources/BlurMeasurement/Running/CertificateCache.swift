import Blur
import BlurRecords
import BlurVerification

/// The certificates that were made during a run. A certificate states the largest error of a kernel over all
/// images. Cases that differ only in their image size or number of threads share a certificate, because the
/// certificate does not depend on either.
final class CertificateCache {
  private let limit: Double
  private var certificates: [Page: Certificate?] = [:]

  private struct Page: Hashable {
    let kernel: String, subject: Subject
  }

  /// Creates an empty cache. Certificates that would take longer than `limit` seconds are not made. If the
  /// limit is 0, no certificates are made.
  init(limit: Double) { self.limit = limit }

  /// Returns the certificate of a case, or nil if the kernel is not linear, does not support the case, or is
  /// too slow.
  func certificate(_ kernel: Kernel, _ item: Case) throws(BlurError) -> Certificate? {
    let workload = item.workload
    // A certificate is made from the weights of a convolution, but a blur with a mask is not a convolution.
    // The command `certify --mask` can check such a blur.
    guard limit > 0, workload.mask == nil else { return nil }
    let subject = Subject(
      workload.blurredFormat, sigma: try Sigma(workload.sigma), edge: workload.edge, instructionSet: item.isa)
    let page = Page(kernel: kernel.name, subject: subject)
    if let known = certificates[page] { return known }
    let made = try certificate(kernel, subject)
    certificates[page] = .some(made)
    return made
  }

  /// Makes a certificate. If there is enough time, the result is the same certificate that the command
  /// `certify` makes.
  ///
  /// Otherwise, a certificate for an 8-bit format is made with smaller images, which is faster but less
  /// accurate: for example, a kernel with an image pyramid may use fewer pyramid levels for small images, and
  /// may then have a different error.
  private func certificate(_ kernel: Kernel, _ subject: Subject) throws(BlurError) -> Certificate? {
    do { return try Certificate.of(kernel, subject, limit: limit) } catch Certificate.Obstacle.tooLong {
      guard subject.format.component == .uint8 else { return nil }
      return try? Certificate.of(kernel, subject, isPrecise: false, limit: limit)
    } catch let obstacle as Certificate.Obstacle where obstacle.isFailure {
      throw .failed(kernel: kernel.name, reason: obstacle.description)
    } catch { return nil }
  }
}
