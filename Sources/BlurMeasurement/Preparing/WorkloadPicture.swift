import Blur
import BlurRecords
import BlurText
import BlurVerification

/// What workloads that differ in threads alone share: the input, its judge, and the outputs seen so far.
final class WorkloadPicture {
  let picture: Workload
  let input: Image
  let inputHash: String
  let copies: MemcpyRuns
  private let judge: Judge
  private let seed: UInt64
  private var hashes: [Variant: (hash: String, threads: Int)] = [:]

  private struct Variant: Hashable {
    let kernel: String
    let isa: InstructionSet
  }

  /// - Parameters:
  ///   - threads: the largest number of threads, for the rows where their work meets.
  ///   - copy: what copies the picture, to compare times with.
  init(
    _ picture: Workload, threads: Int, seed: UInt64, copy: Kernel = MemcpyRuns.kernel
  ) throws(BlurError) {
    self.picture = picture
    self.seed = seed
    input = try TestImage.deadLeaves.image(picture.layout, seed: seed)
    inputHash = PixelHash.of(input)
    copies = try MemcpyRuns(of: input, hash: inputHash, by: copy)
    judge = try Judge(input, picture, threads: threads, seed: seed)
  }

  /// Writes the input's pixels anew where they are, after a kernel wrote into them: others hold the same
  /// memory.
  func restore() throws(BlurError) {
    let pristine = try TestImage.deadLeaves.image(picture.layout, seed: seed)
    input.withView { damaged in
      pristine.withView { pristine in
        // SAFETY: both images have the same layout, and nothing reads the input between two kernels.
        UnsafeMutableRawPointer(mutating: damaged.base)
          .copyMemory(from: pristine.base, byteCount: picture.layout.byteCount)
      }
    }
  }

  /// How wrong `output` is, and what it breaks: the kernel's promise, or being the same on any number of
  /// threads.
  func judge(_ output: ImageView, hash: String, of item: Case, by kernel: Kernel) -> Judgement {
    var judgement = judge.judge(output, by: kernel)
    let variant = Variant(kernel: item.kernel, isa: item.isa)
    if let first = hashes[variant], first.hash != hash, judgement.violation == nil {
      judgement.violation =
        "the output on \(item.workload.threads.of("thread")) differs from that on \(first.threads): "
        + "`blurbench verify --property threads` says how"
    }
    if hashes[variant] == nil { hashes[variant] = (hash, item.workload.threads) }
    return judgement
  }
}

extension Judge {
  /// Judges blurs of a picture: on all rows, or on a sample where the truth would take long.
  ///
  /// - Parameter threads: the largest number of threads, for the rows where their work meets.
  convenience init(
    _ input: Image, _ workload: Workload, threads: Int, seed: UInt64
  ) throws(BlurError) {
    let rows = RowSample.rows(
      for: workload.layout, sigma: workload.sigma, threads: threads, seed: seed)
    let (width, height) = (workload.layout.width, workload.layout.height)
    self.init(
      input, sigma: try Sigma(workload.sigma), edge: workload.edge, rows: rows,
      mask: try workload.mask?.mask(width: width, height: height))
  }
}
