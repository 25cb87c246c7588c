import Blur
import BlurRecords
import BlurVerification

/// The certificates of a run. Cases that differ by size or threads share one.
final class CertificateCache {
  private let limit: Double
  private var certificates: [Page: Certificate?] = [:]

  private struct Page: Hashable {
    let kernel: String, subject: Subject
  }

  /// - Parameter limit: certificates that would take more seconds are not made; with 0 none.
  init(limit: Double) { self.limit = limit }

  /// The certificate of a case, or nil where the kernel is not linear, refuses, or is too slow.
  func certificate(_ kernel: Kernel, _ item: Case) throws(BlurError) -> Certificate? {
    let workload = item.workload
    // A blur by a mask is no convolution: `certify --mask` reads its weights.
    guard limit > 0, workload.mask == nil else { return nil }
    let subject = Subject(
      workload.layout.format, sigma: try Sigma(workload.sigma), edge: workload.edge, instructionSet: item.isa)
    let page = Page(kernel: kernel.name, subject: subject)
    if let known = certificates[page] { return known }
    let made = try certificate(kernel, subject)
    certificates[page] = .some(made)
    return made
  }

  /// The certificate that `certify` gives; where that takes too long in 8 bits, that of smaller images, which
  /// is less sure, and of another pyramid where a kernel's levels depend on the size.
  private func certificate(_ kernel: Kernel, _ subject: Subject) throws(BlurError) -> Certificate? {
    do { return try Certificate.of(kernel, subject, limit: limit) } catch Certificate.Obstacle.tooLong {
      guard subject.format.component == .uint8 else { return nil }
      return try? Certificate.of(kernel, subject, isPrecise: false, limit: limit)
    } catch let obstacle as Certificate.Obstacle where obstacle.isFailure {
      throw .failed(kernel: kernel.name, reason: obstacle.description)
    } catch { return nil }
  }
}
