import Blur
import BlurRecords
import BlurText
import Foundation

/// A file of wisdom that grows: always whole, for a new file takes the place of the old one.
public struct WisdomStore {
  /// What is in the file.
  public private(set) var wisdom: Wisdom
  private let path: String
  private var written = ContinuousClock.now

  /// Goes on with the file at `path`, or begins a new one.
  ///
  /// - Parameter renew: whether what stands there is forgotten.
  /// - Throws: ``MeasurementError/file(path:reason:)`` for a file that is damaged, or of another machine or other
  ///   kernels, unless it is renewed.
  public init(_ path: String, renew: Bool, processor: Processor = .current) throws(MeasurementError) {
    self.path = path
    wisdom = Wisdom(processor, date: Self.now)
    guard !renew else { return }
    do throws(WisdomFile.Problem) { wisdom = try WisdomFile.load(path, for: processor) } catch {
      if case .missing = error { return }
      throw .failed(error.description)
    }
  }

  /// Those that are not there yet, and then those that somebody disturbed.
  public func missing(of workloads: [Workload]) -> [Workload] {
    let held = Set(wisdom.workloads.map(\.question))
    let disturbed = Set(wisdom.workloads.filter { $0.disturbed == true }.map(\.question))
    return workloads.filter { !held.contains(Wisdom.Workload($0)) }
      + workloads.filter { disturbed.contains(Wisdom.Workload($0)) }
  }

  /// Adds workloads in place of older ones, and writes the file.
  ///
  /// - Parameter isLater: whether the file may wait until a second has passed since it was written.
  /// - Throws: ``MeasurementError/file(path:reason:)``; the old file is then as it was.
  public mutating func add(_ workloads: [Wisdom.Workload], isLater: Bool = false) throws(MeasurementError) {
    wisdom.merge(workloads)
    wisdom.date = Self.now
    guard !isLater || ContinuousClock.now - written > .seconds(1) else { return }
    try write()
    written = .now
  }

  /// Adds the workloads of another file of this machine and these kernels.
  ///
  /// - Throws: ``MeasurementError`` for a file that is not, and when this one cannot be written.
  public mutating func merge(file: String, processor: Processor = .current) throws(MeasurementError) {
    do throws(WisdomFile.Problem) {
      wisdom.merge(try WisdomFile.load(file, for: processor).workloads)
    } catch { throw .failed(error.description) }
    try add([])
  }

  private func write() throws(MeasurementError) {
    let url = URL(filePath: path)
    do {
      try FileManager.default.createDirectory(
        at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
      // Foundation writes a temporary file beside it, and renames that.
      try Data(wisdom.text.utf8).write(to: url, options: .atomic)
    } catch { throw .file(path: path, reason: "cannot be written: \(error.localizedDescription)") }
  }

  private static var now: String { Date().ISO8601Format() }
}

extension Wisdom {
  /// The file's text: a line for each time, so that a person can read it.
  public var text: String {
    let machine =
      "{\"key\": \(quoted(machine.key)), \"model\": \(quoted(machine.model)), \"cores\": \(machine.cores), "
      + "\"isa\": \(quoted(machine.isa))}"
    return """
      {
        "format": \(quoted(format)),
        "version": \(version),
        "revision": \(quoted(revision)),
        "machine": \(machine),
        "date": \(quoted(date)),
        "workloads": [\(workloads.map { "\n" + text(of: $0) }.joined(separator: ","))
        ]
      }

      """
  }

  private func text(of workload: Workload) -> String {
    let times = workload.times.map { time in
      let within = time.within.map { ", \"within\": \(JSONText.number($0).text())" } ?? ""
      return "\n      {\"kernel\": \(quoted(time.kernel)), \"isa\": \(quoted(time.isa)), "
        + "\"ns\": \(JSONText.number(time.ns).text())\(within)}"
    }
    return "    {\"format\": \(quoted(workload.format)), \"width\": \(workload.width), "
      + "\"height\": \(workload.height), \"sigma\": \(JSONText.number(workload.sigma).text()), "
      + "\"edge\": \(quoted(workload.edge)), \"threads\": \(workload.threads), "
      + (workload.disturbed == true ? "\"disturbed\": true, " : "")
      + "\"times\": [\(times.joined(separator: ","))\n    ]}"
  }

  private func quoted(_ text: String) -> String { JSONText.string(text).text() }
}
