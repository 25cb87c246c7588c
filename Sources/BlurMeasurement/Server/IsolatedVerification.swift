import Blur
import BlurRecords
import BlurServer
import BlurVerification
import Foundation
import Synchronization

/// Verifies kernels in separate processes. If a kernel crashes its process, only the property that was being
/// checked counts as failed, and all other checks continue.
///
/// A target is another machine or an emulator. The kernels of a target already run in a process there, so
/// their results are checked in this process.
public final class IsolatedVerification: Sendable {
  /// Draws a picture of a failed check (see ``BlurVerification/VerificationSummary/draw(_:)``).
  public typealias Picture = @Sendable (Check) throws -> (path: String?, note: String)

  /// The kernels that hung, each with the property that was being checked at that moment. A kernel that hung
  /// is not run again.
  private let hanging = Mutex<[String: String]>([:])
  /// The number of lines of the kernels' error output that may still be printed. The rest is not shown.
  private let linesLeft = Mutex(10)
  private let launcher: ServerLauncher
  private let target: TargetKernels?
  private let request: CheckRequest
  private let words: [String]
  private let picture: Picture

  /// Creates a verification.
  ///
  /// - Parameters:
  ///   - launcher: Starts the processes, and defines the time after which a single check counts as hanging.
  ///   - target: The target whose kernels are checked, or nil if the kernels run in processes of the
  ///     launcher.
  ///   - request: The checks to run.
  ///   - words: The command-line options that describe the checks to a user, without the options for kernels
  ///     and properties.
  ///   - picture: Draws a picture of a failed check.
  public init(
    _ launcher: ServerLauncher, target: TargetKernels? = nil, _ request: CheckRequest, words: [String],
    picture: @escaping Picture
  ) {
    self.launcher = launcher
    self.target = target
    self.request = request
    self.words = words
    self.picture = picture
  }

  /// Checks one property of one kernel and returns a summary of the checks.
  ///
  /// - Parameters:
  ///   - kernel: The kernel to check.
  ///   - property: The property to check.
  ///   - repeated: The command-line options that load the external kernels. They become part of the commands
  ///     that a user can run to reproduce a failure.
  ///   - progress: A function that is called from time to time with the index of the running check, where 1
  ///     is the first check.
  public func row(
    _ kernel: Kernel, _ property: Property, repeated: [String],
    progress: @escaping @Sendable (_ check: Int) -> Void = { _ in }
  ) throws(MeasurementError) -> VerificationSummary {
    let asked = ["blurbench", "verify", "--kernel", kernel.name, "--property", property.name] + words
    let whole = asked.joined(separator: " ")
    if let place = hanging.withLock({ $0[kernel.name] }) {
      return VerificationSummary(
        kernel: kernel.name, property: property.name,
        skipped: "not checked, because the kernel hung while property \(place) was checked")
    }
    switch try work(kernel, property, request.run, progress) {
    case .answered(let reply, let row):
      return try confirmed(row, reply.example, reply.smallest, kernel, whole).repeated(with: repeated)
    case .ended(let ended, let support):
      let (place, isHanging) = (ended.last - 1, ended.isHanging)
      if isHanging { hanging.withLock { $0[kernel.name] = $0[kernel.name] ?? property.name } }
      let subjects = try? request.run.subjects(kernel, property, support)
      guard let subjects, subjects.indices.contains(place) else {
        return VerificationSummary(kernel: kernel.name, property: property.name, failure: ended.text, whole)
          .repeated(with: repeated)
      }
      let check = Check(kernel, property, subjects[place], failure: ended.text)
      let example = isHanging ? check : try smallest(check, ended)
      let smallest = isHanging ? nil : try onSmallestImage(example, ended)
      var row = VerificationSummary([example], planned: 1, smallest: smallest)
      row.draw { try picture(smallest ?? example) }
      if !isHanging {
        row = try confirmed(
          row, RepeatableCheck(example), smallest.map { RepeatableCheck($0) }, kernel, whole)
      }
      return row.repeated(with: repeated)
    }
  }

  /// Makes sure that the commands in a summary reproduce the failure, by repeating each command's check in a
  /// fresh process.
  ///
  /// If the check of the smallest failing image does not fail again, its command is removed. If the original
  /// check does not fail again, its command is replaced with `whole`, which repeats all checks of the
  /// property.
  private func confirmed(
    _ row: VerificationSummary, _ example: RepeatableCheck?, _ smallest: RepeatableCheck?, _ kernel: Kernel,
    _ whole: String
  ) throws(MeasurementError) -> VerificationSummary {
    guard row.status.isFailure else { return row }
    var row = row
    if let smallest, try !fails(smallest, kernel) { row.forgetSmallest() }
    if let example, try !fails(example, kernel) { row.dependsOnOthers(whole) }
    return row
  }

  /// Repeats one check in a fresh process, and returns whether it fails again.
  ///
  /// If the repeated check is skipped because the kernel does not support it, this does not count as a
  /// failure. Such a skip can happen if a crashing kernel has overwritten the index of its check, because
  /// then the wrong check is repeated.
  private func fails(_ check: RepeatableCheck, _ kernel: Kernel) throws(MeasurementError) -> Bool {
    guard let property = request.property(named: check.property) else { return true }
    guard case .answered(_, let row) = try work(kernel, property, check.run, isPlain: true) else {
      return true
    }
    return row.status.isFailure
  }

  /// Returns a check that fails in the same way as `check`, but that users can repeat from the command line.
  /// Such a check is needed if the image of `check` cannot be named on the command line.
  ///
  /// The kernel is run on named test images until one of them ends the process for the same reason as in
  /// `check`. The check of this image is then simplified if possible. The result is nil if no image ends the
  /// process for this reason.
  private func onSmallestImage(_ check: Check, _ ended: ServerEnd) throws(MeasurementError) -> Check? {
    for named in check.onNamedImages {
      guard case .ended(let other, _) = try work(named) else { continue }
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
        let smaller = Check(check.kernel, check.property, smaller, failure: "")
        guard case .ended(let other, _) = try work(smaller), other.reason == ended.reason, !other.isHanging
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
    case answered(CheckReply, VerificationSummary)
    /// The process ended without an answer. The second value holds the parameters that the kernel supports,
    /// or nil if they are not known.
    case ended(ServerEnd, KernelSupport?)
  }

  /// Runs one check in a new server process. A failure is only reported: there is no search for a smaller
  /// image, and no picture is drawn.
  private func work(_ check: Check) throws(MeasurementError) -> Ending {
    try work(check.kernel, check.property, check.run, isPlain: true)
  }

  /// Lets a new server process check one property of one kernel.
  ///
  /// - Parameter isPlain: Whether to only report a failure, without searching for a smaller image and without
  ///   drawing a picture.
  private func work(
    _ kernel: Kernel, _ property: Property, _ run: VerificationRun, isPlain: Bool = false,
    _ progress: @escaping @Sendable (_ check: Int) -> Void = { _ in }
  ) throws(MeasurementError) -> Ending {
    var request = request
    (request.kernel, request.property, request.run) = (kernel.name, property.name, run)
    request.isPlain = isPlain
    if let target { return work(kernel, property, request, on: target, progress) }
    let server = try launcher.connect(keepsErrors: true)
    var (support, reply): (KernelSupport?, CheckReply?)
    do {
      let last = try server.answer(to: ServerRequest.check(request), progress: progress) {
        (part: CheckReply) in
        support = part.support ?? support
        if part.row != nil { reply = part }
      }
      if last.row != nil { reply = last }
      try server.finish()
    } catch {
      // The process sends a failure as soon as the failure is found, because the process may crash
      // afterwards. For example, it may crash while it searches for a smaller image that shows the failure.
      // The failure counts even if the process has ended.
      if let reply, let row = reply.row, row.status.isFailure { return .answered(reply, row) }
      return .ended(server.end ?? ServerEnd("\(error)"), support)
    }
    guard let reply, let row = reply.row else {
      return .ended(ServerEnd("the checks have no result"), support)
    }
    if !isPlain { linesLeft.withLock { server.forwardErrors(lines: &$0) } }
    return .answered(reply, row)
  }

  /// Checks one property of a target's kernel. The kernel runs in a new process of the target, and its
  /// results are checked in this process.
  private func work(
    _ kernel: Kernel, _ property: Property, _ request: CheckRequest, on target: TargetKernels,
    _ progress: @escaping @Sendable (_ check: Int) -> Void
  ) -> Ending {
    let last = Mutex(0)
    var support: KernelSupport?
    let started: TargetKernels
    do { started = try target.startedAgain() } catch { return .ended(ServerEnd("\(error)"), nil) }
    // After a kernel hangs, all further checks fail immediately, but only the check during which it hung is
    // reported.
    let reason = { @Sendable in started.hangingReason }
    do {
      let kernel = started.kernels.first { $0.name == kernel.name } ?? kernel
      let reply = try Self.check(
        kernel, property, request,
        begins: { number in
          if reason() == nil { last.withLock { $0 = number } }
          progress(number)
        },
        send: { part in
          support = part.support ?? support
          if let reason = reason() { throw MeasurementError.failed(reason) }
        }, picture: picture)
      if reason() == nil, let row = reply.row { return .answered(reply, row) }
      return .ended(
        ServerEnd(reason() ?? "the checks have no result", isHanging: true, last: last.withLock { $0 }),
        support)
    } catch {
      return .ended(
        ServerEnd("\(error)", isHanging: reason() != nil, last: last.withLock { $0 }), support)
    }
  }

  /// Runs the checks of one property of one kernel in a server process. Sends replies with intermediate
  /// summaries while the checks are running, and returns the reply with the final summary.
  ///
  /// - Parameters:
  ///   - request: The checks to run.
  ///   - kernels: The kernels that the request can name.
  ///   - server: The server that got the request.
  ///   - picture: Draws a picture of the failure.
  public static func check(
    _ request: CheckRequest, _ kernels: [Kernel], for server: KernelServer, picture: Picture
  ) throws -> any Encodable {
    guard let kernel = kernels.first(where: { $0.name == request.kernel }),
      let property = request.property(named: request.property)
    else { throw MeasurementError.failed("there is no such kernel or property") }
    let page = server.page
    return try check(
      kernel, property, request, begins: { page.begins($0) }, send: { try server.send(part: $0) },
      picture: picture)
  }

  /// Runs the checks of one property of one kernel in this process.
  ///
  /// - Parameters:
  ///   - begins: A function that is called before each check with the index of the check, where 1 is the
  ///     first check.
  ///   - send: A function that is called with each reply except the last one, which is returned.
  private static func check(
    _ kernel: Kernel, _ property: Property, _ request: CheckRequest,
    begins: @escaping @Sendable (_ check: Int) -> Void, send: (CheckReply) throws -> Void, picture: Picture
  ) throws -> CheckReply {
    let run = request.run
    let start = ContinuousClock.now
    begins(1)
    let support = run.support(of: kernel, property)
    try send(CheckReply(support: support))
    let checks = try run.checks(
      kernel, property, support, isConcurrent: false, begins: { begins($0 + 1) })
    let seconds = (ContinuousClock.now - start) / .seconds(1)
    let planned = try run.subjects(kernel, property, support).count
    let first = checks.first { $0.outcome.failure != nil }
    var diagnosis: Diagnosis?
    func reply(_ example: Check? = nil, smallest: Check? = nil) -> CheckReply {
      var row = VerificationSummary(
        checks, planned: planned, seconds: seconds, example: example, smallest: smallest)
      if let shown = smallest ?? example { row.draw { try picture(shown) } }
      if let diagnosis { row.explain(diagnosis) }
      return CheckReply(
        row: row, example: (example ?? first).map { RepeatableCheck($0) },
        smallest: smallest.map { RepeatableCheck($0) })
    }
    guard !request.isPlain, let failed = first else { return reply() }
    try send(reply())
    let example = failed.reduced { begins(1) }
    // The picture of the failure is sent now, because the search for a smaller image below may crash this
    // process. The search places an inaccessible page of memory after each image, and a faulty kernel may
    // read from this page.
    var drawn = reply(example)
    try send(drawn)
    diagnosis = example.diagnosis { begins(1) }
    if let diagnosis {
      drawn.row?.explain(diagnosis)
      try send(drawn)
    }
    guard let smallest = example.onSmallestImage(begins: { begins(1) }) else { return drawn }
    begins(1)
    if let picture = drawn.row?.picture { try? FileManager.default.removeItem(atPath: picture) }
    return reply(example, smallest: smallest)
  }
}

/// The reply to ``ServerRequest/check(_:)``.
private struct CheckReply: Codable {
  /// The parameters that the kernel supports, or nil if the checked property does not depend on them.
  var support: KernelSupport?
  /// A summary of the checks, or nil if the checks are still running. The summary of a failure is sent as
  /// soon as the failure is found. It is sent again whenever a picture, a diagnosis or a smaller image has
  /// been added.
  var row: VerificationSummary?
  /// The failed check that the summary describes, and a similar check that fails on a small image. Each is
  /// nil if there is no such check.
  var example: RepeatableCheck?, smallest: RepeatableCheck?
}

/// A single check that can be repeated in another process.
private struct RepeatableCheck: Codable {
  let property: String, run: VerificationRun

  init(_ check: Check) { (property, run) = (check.property.name, check.run) }
}

extension CheckRequest {
  /// Returns the property with this name, or nil if there is none.
  fileprivate func property(named name: String) -> Property? {
    Property.everything(goldens: URL(filePath: goldens)).first { $0.name == name }
  }
}
