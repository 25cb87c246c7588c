import Blur
import BlurRecords
import BlurVerification
import Foundation
import Synchronization

/// Verifies kernels in separate processes. If a kernel kills its process, only the property that was being
/// checked counts as failed, and all other checks continue.
public final class IsolatedVerification: Sendable {
  /// The kernels that hung, each with the property that was being checked at that moment. Such a kernel is
  /// not tried again.
  private let hanging = Mutex<[String: String]>([:])
  /// The number of lines of the kernels' standard error that may still be printed.
  private let linesLeft = Mutex(10)
  private let launcher: WorkerLauncher
  private let run: VerificationRun
  private let words: [String]
  private let picture: @Sendable (Check) throws -> (path: String?, note: String)

  /// Creates a verification.
  ///
  /// - Parameters:
  ///   - launcher: Starts the processes, and defines the time after which a single check counts as hanging.
  ///   - run: The checks to make.
  ///   - words: The command-line options that describe `run`, without those for kernels and properties.
  ///   - picture: Draws a picture of a failed check, see ``BlurVerification/VerificationSummary/draw(_:)``.
  public init(
    _ launcher: WorkerLauncher, _ run: VerificationRun, words: [String],
    picture: @escaping @Sendable (Check) throws -> (path: String?, note: String)
  ) {
    self.launcher = launcher
    self.run = run
    self.words = words
    self.picture = picture
  }

  /// Checks one property of one kernel and returns a summary of the checks.
  ///
  /// - Parameters:
  ///   - kernel: The kernel to check.
  ///   - property: The property to check.
  ///   - repeated: The command-line options that load the external kernels. They are added to the command
  ///     that a user can run to reproduce a failure.
  ///   - progress: A function that is called from time to time with the number of the check that is running.
  public func row(
    _ kernel: Kernel, _ property: Property, repeated: [String], progress: (_ check: Int) -> Void = { _ in }
  ) throws(MeasurementError) -> VerificationSummary {
    let asked = ["--kernel", kernel.name, "--property", property.name] + words
    let whole = (["blurbench", "verify"] + asked).joined(separator: " ")
    func failed(_ reason: String) -> VerificationSummary {
      VerificationSummary(kernel: kernel.name, property: property.name, failure: reason, whole)
        .repeated(with: repeated)
    }
    if let place = hanging.withLock({ $0[kernel.name] }) {
      return VerificationSummary(
        kernel: kernel.name, property: property.name,
        skipped: "not checked, because the kernel hung while property \(place) was checked")
    }
    switch try work(asked, progress) {
    case .answered(let row): return try confirmed(row, whole).repeated(with: repeated)
    case .ended(let ended, let support):
      let (place, isHanging) = (ended.last - 1, ended.isHanging)
      if isHanging { hanging.withLock { $0[kernel.name] = $0[kernel.name] ?? property.name } }
      let subjects = try? run.subjects(kernel, property, support)
      guard let subjects, subjects.indices.contains(place) else { return failed(ended.text) }
      let check = Check(kernel, property, subjects[place], failure: ended.text)
      let example = isHanging ? check : try smallest(check, ended)
      let smallest = isHanging ? nil : try onSmallestImage(example, ended)
      var row = VerificationSummary([example], planned: 1, smallest: smallest)
      row.draw { try picture(smallest ?? example) }
      return (isHanging ? row : try confirmed(row, whole)).repeated(with: repeated)
    }
  }

  /// Makes sure that the commands in a summary really reproduce the failure. Each command is tried in a fresh
  /// process.
  ///
  /// A summary can hold two commands. The command for the smallest failing image is removed if its check does
  /// not fail. The command for the failed check is replaced by `whole` if its check does not fail. `whole`
  /// repeats all checks of the property.
  private func confirmed(
    _ row: VerificationSummary, _ whole: String
  ) throws(MeasurementError) -> VerificationSummary {
    guard row.status == .failed else { return row }
    var row = row
    if let smallest = row.smallest, try !fails(smallest) { row.forgetSmallest() }
    if let command = row.command, try !fails(command) { row.dependsOnOthers(whole) }
    return row
  }

  /// Runs a command that repeats one check, in a fresh process, and returns whether the check fails again.
  ///
  /// If the kernel does not support the check, the check is skipped, which does not count as failing. The
  /// command can contain such a check if a crashing kernel has overwritten the number of the check.
  private func fails(_ command: String) throws(MeasurementError) -> Bool {
    let words = command.split(separator: " ").dropFirst(2).map(String.init)
    if case .answered(let row) = try work(words, isPlain: true) { return row.status == .failed }
    return true
  }

  /// Returns a check that fails in the same way as `check` and that users can repeat from the command line.
  /// This method is needed if the image in `check` has no name that can be written on the command line.
  ///
  /// The kernel is run on named test images until one of them ends the process for the same reason as in
  /// `check`. The check with this image is then made smaller if possible. The result is nil if none of the
  /// images ends the process in this way.
  private func onSmallestImage(_ check: Check, _ ended: ServerEnd) throws(MeasurementError) -> Check? {
    for named in check.onNamedImages {
      guard case .ended(let other, _) = try work(named.words, isPlain: true) else { continue }
      if other.reason == ended.reason, !other.isHanging { return try smallest(named, other) }
    }
    return nil
  }

  /// Simplifies a check that ends a process, for up to half a minute. The search tries smaller images,
  /// smaller sigmas and a single thread. Returns the simplest check found that still ends the process for the
  /// same reason.
  private func smallest(_ check: Check, _ ended: ServerEnd) throws(MeasurementError) -> Check {
    let end = ContinuousClock.now + .seconds(30)
    var last = ended
    do {
      let subject = try check.subject.reduced(attempts: 40) { smaller in
        guard ContinuousClock.now < end else { return false }
        let words = Check(check.kernel, check.property, smaller, failure: "").words
        guard case .ended(let other, _) = try work(words, isPlain: true), other.reason == ended.reason,
          !other.isHanging
        else { return false }
        last = other
        return true
      }
      return Check(check.kernel, check.property, subject, failure: last.text)
    } catch let error as MeasurementError { throw error } catch {
      throw .failed(error.localizedDescription)
    }
  }

  private enum Ending {
    case answered(VerificationSummary)
    /// The process ended without an answer. The second value is the parameters that the kernel supports, or
    /// nil if they are not known.
    case ended(ServerEnd, KernelSupport?)
  }

  /// Lets a new server process check one property of one kernel.
  ///
  /// - Parameters:
  ///   - words: The command-line options that describe the checks.
  ///   - isPlain: Whether to only report a failure, without searching for a smaller image and without drawing
  ///     a picture.
  private func work(
    _ words: [String], isPlain: Bool = false, _ progress: (_ check: Int) -> Void = { _ in }
  ) throws(MeasurementError) -> Ending {
    let server = try launcher.connect(keepsErrors: true)
    var (support, row): (KernelSupport?, VerificationSummary?)
    do {
      let last = try server.answer(to: .check(options: words, isPlain: isPlain), progress: progress) {
        (part: CheckReply) in (support, row) = (part.support ?? support, part.row ?? row)
      }
      row = last.row ?? row
      try server.finish()
    } catch {
      // The process sends a failure as soon as it finds one, because it may die afterwards. For example, it
      // may die while it looks for a smaller image that shows the failure.
      if let row, row.status == .failed { return .answered(row) }
      return .ended(server.end ?? ServerEnd(reason: "\(error)"), support)
    }
    guard let row else { return .ended(ServerEnd(reason: "the checks have no result"), support) }
    if !isPlain { linesLeft.withLock { server.forwardErrors(lines: &$0) } }
    return .answered(row)
  }

  /// Makes the checks of one property of one kernel in a server process. Returns the last summary, and sends
  /// earlier ones as parts.
  ///
  /// - Parameters:
  ///   - run: The checks to make, for one kernel and one property.
  ///   - isPlain: Whether to only report a failure, without searching for a smaller image and without drawing
  ///     a picture.
  ///   - server: The server that got the request.
  ///   - picture: Draws a picture of the failure.
  public static func check(
    _ run: VerificationRun, isPlain: Bool, for server: KernelServer,
    picture: (Check) throws -> (path: String?, note: String)
  ) throws -> any Encodable {
    let page = server.page
    guard let kernel = run.kernels.first, let property = run.properties.first else {
      throw MeasurementError.failed("there is no such kernel or property")
    }
    let start = ContinuousClock.now
    page.begins(1)
    let support = run.support(of: kernel, property)
    try server.send(part: CheckReply(support: support))
    let checks = try run.checks(
      kernel, property, support, isConcurrent: false, begins: { page.begins($0 + 1) })
    let seconds = (ContinuousClock.now - start) / .seconds(1)
    let planned = try run.subjects(kernel, property, support).count
    func reply(_ example: Check? = nil, smallest: Check? = nil) -> CheckReply {
      var row = VerificationSummary(
        checks, planned: planned, seconds: seconds, example: example, smallest: smallest)
      if let shown = smallest ?? example { row.draw { try picture(shown) } }
      return CheckReply(row: row)
    }
    let isFailed = { (check: Check) in if case .failed = check.outcome { true } else { false } }
    guard !isPlain, let failed = checks.first(where: isFailed) else { return reply() }
    try server.send(part: reply())
    let example = failed.reduced { page.begins(1) }
    // The picture of the failure is sent now, because the search for a smaller image below may end this
    // process. The search places an inaccessible page of memory after each image, so a kernel that reads
    // beyond an image crashes.
    let drawn = reply(example)
    try server.send(part: drawn)
    guard let smallest = example.onSmallestImage(begins: { page.begins(1) }) else { return drawn }
    page.begins(1)
    if let picture = drawn.row?.picture { try? FileManager.default.removeItem(atPath: picture) }
    return reply(example, smallest: smallest)
  }
}
