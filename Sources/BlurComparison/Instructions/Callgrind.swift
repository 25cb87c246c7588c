import Blur
import BlurRecords
import Foundation

/// Counts instructions with Valgrind's tool callgrind. It is slow, but the counts are repeatable and it works
/// on any machine.
///
/// Fewer instructions do not always mean less time, because times also depend on the memory. The CPU that
/// Valgrind emulates has one core and supports AVX2 but not AVX-512.
struct Callgrind {
  /// The number of seconds after which a run of callgrind is killed. Counting the instructions of a case
  /// takes two or three runs.
  let timeout: Double

  /// The smallest useful difference between the instruction counts of two runs.
  ///
  /// The instructions of one blur are computed from two runs with different numbers of blurs. Starting the
  /// program takes some thousands of instructions more in one run than in another, so the difference that the
  /// blurs make must be much larger.
  private static let leastDifference = 3e7

  /// Checks that the tools are installed.
  ///
  /// - Throws: ``MeasurementError/failed(_:)`` with the name of the package to install if a tool is missing.
  init(timeout: Double = 120) throws(MeasurementError) {
    self.timeout = timeout
    for (tool, package) in [("valgrind", "valgrind"), ("strip", "binutils")] {
      guard Self.isInstalled(tool) else {
        throw .failed("\(tool) is not installed: apt-get install \(package)")
      }
    }
  }

  /// Counts the instructions of one blur of a case.
  ///
  /// - Parameters:
  ///   - name: The name of the case. The case that is really counted is the one that ``countable(_:)``
  ///     returns for it.
  ///   - executable: The path of a `blurbench` program of any revision.
  ///   - libraries: The paths of the plug-ins to load.
  /// - Returns: The name of the case that was really counted, the number of user-space instructions in one
  ///   blur, and a note on how the counted case differs from the requested case. The note is nil if it does
  ///   not differ.
  /// - Throws: A ``MeasurementError`` with one line of text if the instructions cannot be counted.
  func instructions(
    of name: String, executable: String, libraries: [String] = []
  ) throws(MeasurementError) -> (name: String, perBlur: Double, note: String?) {
    let (item, note) = Self.countable(try Case(name: name))
    let folder = FileManager.default.temporaryDirectory.appending(path: "blurbench-\(UUID())")
    do { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) } catch {
      throw .file(path: folder.path, reason: error.localizedDescription)
    }
    defer { try? FileManager.default.removeItem(at: folder) }
    let run = try CallgrindRun(item, executable, libraries: libraries, folder: folder, timeout: timeout)
    let once = try run.instructions(iterations: 1)
    let perBlur = { (more: Int) throws(MeasurementError) -> Double in
      let many = try run.instructions(iterations: 1 + more)
      guard many > once else {
        throw .failed(
          "\(item.name): \(executable) does not seem to blur, because several blurs took no more "
            + "instructions than one")
      }
      return Double(many - once) / Double(more)
    }
    var result = try perBlur(2)
    if 2 * result < Self.leastDifference {
      result = try perBlur(Int(min(1000, (Self.leastDifference / result).rounded(.up))))
    }
    return (item.name, result, note)
  }

  /// Returns a variant of the case that callgrind can run, and a note on how it differs from the case. The
  /// variant has one thread, because Valgrind runs threads one at a time, and it uses AVX2 in place of
  /// AVX-512.
  static func countable(_ item: Case) -> (item: Case, note: String?) {
    var counted = item
    counted.workload.threads = 1
    counted.isa = min(item.isa, .avx2)
    let changes = zip(item.fields, counted.fields).filter { $0.value != $1.value }
      .map { "\($1.key)=\($1.value) instead of \($0.value)" }
    return (
      counted,
      changes.isEmpty ? nil : "instructions were counted with " + changes.joined(separator: " and ")
    )
  }

  private static func isInstalled(_ tool: String) -> Bool {
    (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
      .contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(tool)") }
  }
}
