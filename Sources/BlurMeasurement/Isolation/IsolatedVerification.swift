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
    case .ended(let ended, let place, let support, let isHanging):
      if isHanging { hanging.withLock { $0[kernel.name] = $0[kernel.name] ?? property.name } }
      let subjects = try? run.subjects(kernel, property, support)
      guard let place, let subjects, subjects.indices.contains(place) else { return failed(ended.text) }
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
    if case .answered(let row) = try work(words + ["--plain"]) { return row.status == .failed }
    return true
  }

  /// Returns a check that fails in the same way as `check` and that users can repeat from the command line.
  /// This method is needed if the image in `check` has no name that can be written on the command line.
  ///
  /// The kernel is run on named test images until one of them ends the process for the same reason as in
  /// `check`. The check with this image is then made smaller if possible. The result is nil if none of the
  /// images ends the process in this way.
  private func onSmallestImage(_ check: Check, _ ended: Ended) throws(MeasurementError) -> Check? {
    for named in check.onNamedImages {
      guard case .ended(let other, _, _, false) = try work(named.words + ["--plain"]) else { continue }
      if other.reason == ended.reason { return try smallest(named, other) }
    }
    return nil
  }

  /// Simplifies a check that ends a process, for up to three seconds. The search tries smaller images,
  /// smaller sigmas and a single thread. Returns the simplest check found that still ends the process for the
  /// same reason.
  private func smallest(_ check: Check, _ ended: Ended) throws(MeasurementError) -> Check {
    let end = ContinuousClock.now + .seconds(3)
    var last = ended
    do {
      let subject = try check.subject.reduced(attempts: 40) { smaller in
        guard ContinuousClock.now < end else { return false }
        let words = Check(check.kernel, check.property, smaller, failure: "").words
        guard case .ended(let other, _, _, false) = try work(words + ["--plain"]),
          other.reason == ended.reason
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
    /// The process ended without an answer. The values are a description of how it ended, the index of the
    /// check that was running, the parameters that the kernel supports, and whether the process was killed
    /// because it hung. The index and the parameters are nil if they are not known.
    case ended(Ended, Int?, KernelSupport?, isHanging: Bool)
  }

  /// A description of how a process ended.
  ///
  /// Two processes with the same `reason` ended in the same way. The memory access in `fault` is not
  /// compared, because its address differs from image to image. `lastLine` is the last line that the process
  /// wrote to its standard error.
  private struct Ended {
    let reason: String
    var fault: String?
    var lastLine: String?

    var text: String {
      reason + (fault.map { ": \($0)" } ?? "") + (lastLine.map(Self.told) ?? "")
        + (isOfHeap ? "; \(Self.heapHint)" : "")
    }

    /// Returns the end of an error message, which quotes the last line that the process wrote to its standard
    /// error. If the line contains `what():`, it was printed by the C++ runtime because of an uncaught
    /// exception.
    private static func told(_ line: String) -> String {
      guard let exception = line.firstMatch(of: /what\(\): +(.*)/) else {
        return "; its last message was '\(line)'"
      }
      return "; the kernel did not catch a C++ exception: \(exception.1)"
    }

    /// Whether the last line of the standard error is a message of glibc's memory allocator about a damaged
    /// heap. The allocator prints such a message before it ends the process.
    private var isOfHeap: Bool {
      let words = #/^(free|malloc|realloc|malloc_consolidate|munmap_chunk)\(\): |^corrupted |^double free /#
      return lastLine?.firstMatch(of: words) != nil
    }

    private static let heapHint =
      "the heap was damaged. If the kernel wrote outside an image, `--property guards` shows the place. If "
      + "it wrote outside a buffer of its own, a build with `-fsanitize=address` shows the place"
  }

  /// Runs a worker process until it ends, and kills the process if it hangs.
  private func work(
    _ words: [String], _ progress: (_ check: Int) -> Void = { _ in }
  ) throws(MeasurementError) -> Ending {
    let folder = FileManager.default.temporaryDirectory.appending(path: "blurbench-\(UUID())")
    do { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) } catch {
      throw .file(path: folder.path, reason: "cannot be created: \(error.localizedDescription)")
    }
    defer { try? FileManager.default.removeItem(at: folder) }
    let (file, pageFile) = (folder.appending(path: "answer.json"), folder.appending(path: "page").path)
    let page = try SharedPage(pageFile, count: .max)
    let process = try launcher.process(
      ["check"] + words + ["--page", pageFile, "--answer", file.path] + launcher.libraries())
    let errors = try WorkerErrors(in: folder)
    process.standardError = errors.handle
    let ended = try WorkerLauncher.start(process)
    var watch = Watch(page, of: process, launcher.timeout)
    while ended.wait(timeout: .now() + 0.05) != .success {
      progress(page.last)
      guard watch.isStuck else { continue }
      kill(process.processIdentifier, SIGKILL)
      ended.wait()
      if let answer = failure(in: file) { return .answered(answer) }
      let reason = IsolatedRunner.hanging(for: launcher.timeout)
      return .ended(
        Ended(reason: reason, lastLine: errors.lastLine), page.current - 1, Self.support(page: pageFile),
        isHanging: true)
    }
    guard process.terminationStatus == 0, process.terminationReason == .exit,
      let answer: VerificationSummary = WorkerAnswer.read(file)
    else {
      if let answer = failure(in: file) { return .answered(answer) }
      let place = page.last > 0 ? page.last - 1 : nil
      let reason = IsolatedRunner.ending(of: process)
      return .ended(
        Ended(reason: reason, fault: page.fault, lastLine: errors.lastLine), place,
        Self.support(page: pageFile), isHanging: false)
    }
    if !words.contains("--plain") { linesLeft.withLock { errors.forward(lines: &$0) } }
    return .answered(answer)
  }

  /// Returns the failure that a worker has written to its answer file, or nil if the file holds none. A
  /// worker writes a failure as soon as it finds one, because it may die afterwards. For example, it may die
  /// while it looks for a smaller image that shows the failure, or while it draws a picture of the failure.
  private func failure(in file: URL) -> VerificationSummary? {
    guard let row: VerificationSummary = WorkerAnswer.read(file), row.status == .failed else { return nil }
    return row
  }

  /// Returns the path of the file in which a worker stores the parameters that its kernel supports. The
  /// parent process reads the file if the worker dies.
  private static func supportFile(page: String) -> String { page + "-support" }

  private static func support(page: String) -> KernelSupport? {
    WorkerAnswer.read(URL(filePath: supportFile(page: page)))
  }

  /// Makes the checks of one property of one kernel. This method runs in the worker process.
  ///
  /// - Parameters:
  ///   - run: The checks to make, for one kernel and one property.
  ///   - path: The path of the file through which the worker shares a page of memory with its parent process.
  ///   - isPlain: Whether to only report a failure, without searching for a smaller image and without drawing
  ///     a picture.
  ///   - picture: Draws a picture of the failure.
  ///   - write: Writes the answer. If a check fails, the function is called again after each further step:
  ///     after drawing the failure, and after finding a smaller image.
  public static func work(
    _ run: VerificationRun, page path: String, isPlain: Bool,
    picture: (Check) throws -> (path: String?, note: String),
    write: (VerificationSummary) throws -> Void
  ) throws {
    let page = try SharedPage(path, count: .max)
    page.reportFaults()
    let (kernel, property) = (run.kernels[0], run.properties[0])
    let start = ContinuousClock.now
    page.begins(1)
    let support = run.support(of: kernel, property)
    try support.map { try WorkerAnswer.write($0, to: supportFile(page: path)) }
    let checks = try run.checks(
      kernel, property, support, isConcurrent: false, begins: { page.begins($0 + 1) })
    let seconds = (ContinuousClock.now - start) / .seconds(1)
    let planned = try run.subjects(kernel, property, support).count
    func row(_ example: Check? = nil, smallest: Check? = nil) -> VerificationSummary {
      VerificationSummary(checks, planned: planned, seconds: seconds, example: example, smallest: smallest)
    }
    try write(row())
    let isFailed = { (check: Check) in if case .failed = check.outcome { true } else { false } }
    guard !isPlain, let failed = checks.first(where: isFailed) else { return }
    let example = failed.reduced { page.begins(1) }
    func drawn(_ smallest: Check? = nil) -> VerificationSummary {
      var row = row(example, smallest: smallest)
      row.draw { try picture(smallest ?? example) }
      return row
    }
    // The picture of the failure is written now, because the search for a smaller image below may end this
    // process. The search places an inaccessible page of memory after each image, so a kernel that reads
    // beyond an image crashes.
    let row = drawn()
    try write(row)
    guard let smallest = example.onSmallestImage(begins: { page.begins(1) }) else { return }
    page.begins(1)
    if let picture = row.picture { try? FileManager.default.removeItem(atPath: picture) }
    try write(drawn(smallest))
  }
}
