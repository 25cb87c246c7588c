import Blur
import BlurComparison
import BlurMeasurement
import BlurRecords
import Foundation

/// How many instructions one blur takes.
public struct InstructionCount: Codable, Equatable, Sendable {
  /// The case that was counted: see ``Callgrind/countable(_:)``.
  public var name: String
  /// Instructions of one blur, in user space.
  public var perBlur: Double
  /// How the counted case differs from the requested one.
  public var note: String?
}

/// Counts instructions with Valgrind's callgrind: slow, repeatable, and possible on any machine.
///
/// Times depend on the memory too: fewer instructions are not always faster. The CPU that Valgrind plays has
/// AVX2 but no AVX-512, and one core.
public struct Callgrind: Sendable {
  /// Seconds after which one of the two runs of a case is given up.
  public let timeout: Double

  /// Instructions that the difference of two runs has at least: start-up cancels to within some thousands
  /// only.
  private static let leastDifference = 3e7

  /// Finds the tools.
  ///
  /// - Throws: ``MeasurementError/failed(_:)`` that says which package to install.
  public init(timeout: Double = 120) throws(MeasurementError) {
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
  ///   - name: the case; what is counted is ``countable(_:)`` of it.
  ///   - executable: the path of a `blurbench`, of this revision or another.
  ///   - libraries: plug-ins that take part.
  /// - Throws: ``MeasurementError`` with one line that says why there is no number.
  public func instructions(
    of name: String, executable: String, libraries: [String] = []
  ) throws(MeasurementError) -> InstructionCount {
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
      guard many > once else { throw .failed("\(item.name): \(executable) did not blur") }
      return Double(many - once) / Double(more)
    }
    var result = try perBlur(2)
    if 2 * result < Self.leastDifference {
      result = try perBlur(Int(min(1000, (Self.leastDifference / result).rounded(.up))))
    }
    return InstructionCount(name: item.name, perBlur: result, note: note)
  }

  /// The case that is counted for `item`, and how it differs: on one thread, because Valgrind serialises
  /// threads, and with AVX2 instead of AVX-512.
  public static func countable(_ item: Case) -> (item: Case, note: String?) {
    var counted = item
    counted.workload.threads = 1
    counted.isa = min(item.isa, .avx2)
    let changes = zip(item.fields, counted.fields).filter { $0.value != $1.value }
      .map { "\($1.key)=\($1.value) instead of \($0.value)" }
    return (counted, changes.isEmpty ? nil : "counted with " + changes.joined(separator: " and "))
  }

  private static func isInstalled(_ tool: String) -> Bool {
    (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
      .contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(tool)") }
  }
}
