import Blur
import BlurVerification

/// What workloads that differ in threads alone share: the input, its judge, and the outputs seen so far.
final class Scene {
  let picture: Workload
  let input: Image
  let inputHash: String
  private let judge: Judge
  private var hashes: [Variant: (hash: String, threads: Int)] = [:]

  private struct Variant: Hashable {
    let kernel: String
    let isa: InstructionSet
  }

  /// - Parameter threads: the largest number of threads, for the rows where their work meets.
  init(_ picture: Workload, threads: Int, seed: UInt64) throws(BlurError) {
    self.picture = picture
    input = try TestImage.deadLeaves.image(picture.layout, seed: seed)
    inputHash = PixelHash.of(input)
    judge = Judge(
      input, sigma: try Sigma(picture.sigma), edge: picture.edge,
      rows: RowSample.rows(for: picture.layout, sigma: picture.sigma, threads: threads, seed: seed))
  }

  /// How wrong `output` is, and what it breaks: the kernel's promise, or being the same on any number of
  /// threads.
  func judge(_ output: Image, hash: String, of item: Case, by kernel: Kernel) -> Judgement {
    var judgement = output.withView { judge.judge($0, by: kernel) }
    let variant = Variant(kernel: item.kernel, isa: item.isa)
    if let first = hashes[variant], first.hash != hash, judgement.breach == nil {
      judgement.breach =
        "the output on \(item.workload.threads) threads differs from that on \(first.threads): "
        + "hash \(hash), not \(first.hash)"
    }
    if hashes[variant] == nil { hashes[variant] = (hash, item.workload.threads) }
    return judgement
  }
}
