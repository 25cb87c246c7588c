import Blur
import BlurRecords
import BlurText
import BlurVerification
import Dispatch

/// Something that writes an image over and over while it is timed, and must write the same each time.
protocol Subject: AnyObject {
  var item: Case { get }
  /// The hash of the verified output.
  var verifiedHash: String { get }
  /// The hash of what is in the output now.
  var outputHash: String { get }
  /// What went wrong while timing.
  var failure: String? { get }
  /// Where the subject wrote outside its output, if it did.
  var strayWrite: String? { get }
  /// The record without times.
  func record(machineKey: String) -> Record
  /// Writes the output once.
  func iterate()
}

/// A planned kernel with the output that was verified.
final class PlannedKernel: Subject {
  let item: Case
  let verifiedHash: String
  private(set) var failure: String?
  /// Seconds of the first blur.
  let firstBlur: Double
  let judgement: Judgement
  /// What any image can get, where that could be found out.
  let certificate: Certificate?
  /// The standard deviation the kernel really has, in pixels.
  let achieved: Double?

  private let plan: BlurPlan
  private let input: Image
  private var output: GuardedOutput
  private let planTime: Double

  /// Plans, blurs once, and judges the result.
  init(
    _ item: Case, _ kernel: Kernel, _ shared: SharedPicture, _ stopwatch: some Stopwatch,
    _ certificates: CertificateBook
  ) throws(BlurError) {
    let workload = item.workload
    let parameters = try workload.parameters(isa: item.isa)
    var times: [Double] = []
    var plan: BlurPlan?
    let start = stopwatch.now
    // A few plans give a median; a slow one is not made twice.
    while times.isEmpty || (times.count < 5 && stopwatch.now - start < 0.1) {
      let began = stopwatch.now
      plan = try BlurPlan(kernel, for: workload.layout, parameters, threads: workload.threads)
      times.append(stopwatch.now - began)
    }
    self.plan = plan!
    planTime = (Statistics.median(times)! * 1e9).rounded()
    var output = try GuardedOutput(workload.layout)
    let began = stopwatch.now
    try Self.blur(self.plan, shared.input, into: &output)
    firstBlur = stopwatch.now - began
    let hash = output.withView { PixelHash.of($0) }
    var judgement = output.withView { shared.judge($0, hash: hash, of: item, by: kernel) }
    if let place = output.strayWrite { judgement.violation = "writes \(place)" }
    if PixelHash.of(shared.input) != shared.inputHash {
      judgement.violation = "writes into the source"
      try shared.restore()
    }
    self.judgement = judgement
    verifiedHash = hash
    self.output = output
    // Not asked of a kernel that is already found out: it may write where nothing guards.
    let isFoundOut = judgement.violation != nil
    certificate = isFoundOut ? nil : try certificates.certificate(kernel, item)
    achieved =
      isFoundOut
      ? nil
      : certificate?.achievedSigma
        ?? achievedSigma(
          of: kernel, format: workload.layout.format, sigma: parameters.sigma, instructionSet: item.isa)
    self.item = item
    input = shared.input
  }

  var outputHash: String { output.withView { PixelHash.of($0) } }
  var strayWrite: String? { output.strayWrite }

  func iterate() {
    do { try Self.blur(plan, input, into: &output) } catch { failure = "\(error)" }
  }

  private static func blur(_ plan: BlurPlan, _ input: Image, into output: inout GuardedOutput)
    throws(BlurError)
  {
    try output.withMutableView { (target) throws(BlurError) in
      try input.withView { (source) throws(BlurError) in try plan.blur(source, into: target) }
    }
  }

  func record(machineKey: String) -> Record {
    var record = Record(item, machineKey: machineKey)
    record.planTime = planTime
    record.maxErrorLevels = judgement.deviation.maxLevels.finite
    record.certifiedLevels = certificate?.worst?.levels.finite
    record.psnr = judgement.deviation.psnr.finite
    record.achievedSigma = achieved?.finite
    record.outputHash = verifiedHash
    return record
  }
}

/// A plain copy of the image, divided among threads as a kernel's rows are.
final class PlainCopy: Subject {
  let item: Case
  let verifiedHash: String
  private(set) var output: Image
  var outputHash: String { PixelHash.of(output) }
  var failure: String? { nil }
  var strayWrite: String? { nil }
  private let input: Image

  init(_ workload: Workload, _ shared: SharedPicture) throws(BlurError) {
    item = .copying(workload)
    input = shared.input
    verifiedHash = shared.inputHash
    output = try Image(workload.layout)
  }

  func record(machineKey: String) -> Record {
    var record = Record(item, machineKey: machineKey)
    record.maxErrorLevels = 0
    record.outputHash = verifiedHash
    return record
  }

  func iterate() {
    let threads = item.workload.threads
    input.withView { source in
      output.withMutableView { target in
        if threads == 1 { return Self.copy(0, of: 1, source, target) }
        DispatchQueue.concurrentPerform(iterations: threads) { Self.copy($0, of: threads, source, target) }
      }
    }
  }

  /// Copies one strip of rows: at one go where there is no padding.
  private static func copy(_ piece: Int, of pieces: Int, _ source: ImageView, _ target: MutableImageView) {
    let layout = source.layout
    let rows = layout.height * piece / pieces..<layout.height * (piece + 1) / pieces
    // SAFETY: both images have this layout, and the rows are inside it.
    if layout.stride == layout.rowBytes {
      target.row(rows.lowerBound).copyMemory(
        from: source.row(rows.lowerBound), byteCount: rows.count * layout.rowBytes)
    } else {
      for y in rows { target.row(y).copyMemory(from: source.row(y), byteCount: layout.rowBytes) }
    }
  }
}

extension Workload {
  /// What a plan is told.
  func parameters(isa: InstructionSet, region: Region? = nil) throws(BlurError) -> BlurParameters {
    BlurParameters(sigma: try Sigma(sigma), edge: edge, region: region, instructionSet: isa)
  }
}
