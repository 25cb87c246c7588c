import Blur
import BlurRecords
import BlurText
import BlurVerification

/// The data for measuring all kernels on one image with one sigma and edge mode, on any number of threads:
/// the input image, the judge that compares outputs with the exact blur, and the hashes of the outputs so
/// far.
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

  /// Paints the input image and prepares the judge that compares outputs with the exact blur.
  ///
  /// - Parameters:
  ///   - picture: The workload with its number of threads set to 1.
  ///   - threads: The largest number of threads that will blur the image.
  ///   - seed: The seed of the random test image.
  ///   - copy: The kernel that makes plain copies of the image. The times of the blurs are compared with the
  ///     times of these copies.
  init(
    _ picture: Workload, threads: Int, seed: UInt64, copy: Kernel = MemcpyRuns.kernel
  ) throws(BlurError) {
    self.picture = picture
    self.seed = seed
    input = try TestImage.deadLeaves.image(picture.layout, seed: seed)
    inputHash = input.pixelHash
    copies = try MemcpyRuns(of: input, hash: inputHash, by: copy)
    judge = try Judge(input, picture, threads: threads, seed: seed)
  }

  /// Writes the original pixels back into the input image after a kernel has overwritten them. The image
  /// stays at the same address, because other objects use its memory.
  func restore() throws(BlurError) {
    let pristine = try TestImage.deadLeaves.image(picture.layout, seed: seed)
    input.withView { damaged in
      pristine.withView { pristine in
        // SAFETY: the damaged input image and the newly painted image have the same layout, so each holds
        // `byteCount` bytes. No kernel is running at this moment, so nothing reads the input while it is
        // overwritten.
        UnsafeMutableRawPointer(mutating: damaged.unsafeBase)
          .copyMemory(from: pristine.unsafeBase, byteCount: picture.layout.byteCount)
      }
    }
  }

  /// Compares an output with the exact blur. The result contains an error if the output is less accurate than
  /// the kernel promises, or if it differs from an output that was computed on a different number of threads.
  ///
  /// - Parameter options: The command-line options that name the external kernels, to repeat them in error
  ///   messages.
  func judge(
    _ output: ImageView, hash: String, of item: Case, by kernel: Kernel, _ options: [String] = []
  ) -> Judgement {
    var judgement = judge.judge(output, by: kernel)
    let variant = Variant(kernel: item.kernel, isa: item.isa)
    if let first = hashes[variant], first.hash != hash, judgement.violation == nil {
      judgement.violation =
        "the output on \(item.workload.threads.of("thread")) differs from the output on "
        + "\(first.threads.of("thread")); \(item.commandForChanges(options)) shows the difference"
    }
    if hashes[variant] == nil { hashes[variant] = (hash, item.workload.threads) }
    return judgement
  }
}

extension Judge {
  /// Creates a judge that compares blurred versions of one image with the exact blur. If comparing all rows
  /// would take too long, the judge compares only some of them.
  ///
  /// - Parameter threads: The largest number of threads that will blur the image.
  convenience init(
    _ input: Image, _ workload: Workload, threads: Int, seed: UInt64
  ) throws(BlurError) {
    let rows = Judge.rows(for: workload.layout, sigma: workload.sigma, threads: threads, seed: seed)
    let (width, height) = (workload.layout.width, workload.layout.height)
    self.init(
      input, sigma: try Sigma(workload.sigma), edge: workload.edge, rows: rows,
      mask: try workload.mask?.mask(width: width, height: height))
  }

  /// Returns the rows of an output that are compared with the exact blur, or nil for all rows. The same
  /// arguments always give the same rows.
  ///
  /// All rows are compared, unless that would take too long with the slow reference implementation. In that
  /// case, only the first and last rows, 24 random rows, and rows near the boundaries between threads are
  /// compared. A boundary between threads is a place where the rows of one thread end and the rows of the
  /// next thread begin. At most 16 boundaries are examined.
  static func rows(for layout: ImageLayout, sigma: Double, threads: Int, seed: UInt64) -> [Int]? {
    let cost = Double(layout.pixelCount) * max(sigma, 1) / 1e6
    let height = layout.height
    guard cost > 1, height > 64 else { return nil }
    let seams = (0...threads).map { height * $0 / threads }
    let ends = [0, height]
    var generator = SplitMix64(seed: seed)
    let inner = seams.dropFirst().dropLast().shuffled(using: &generator).prefix(16)
    let nearSeams = (ends + inner).flatMap { Array($0 - 2...$0 + 1) }
    let others = (0..<24).map { _ in Int.random(in: 0..<height, using: &generator) }
    return Set((nearSeams + others).filter { (0..<height).contains($0) }).sorted()
  }
}
