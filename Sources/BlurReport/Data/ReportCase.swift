import Blur
import BlurRecords
import Foundation

/// A case of a report: all its samples together, and what its name says.
struct ReportCase: Sendable {
  let kernel: String
  /// The parts of the name, by key.
  let fields: [String: String]
  /// Which of the report's files it is from.
  let file: Int
  /// Wall times of the samples in nanoseconds.
  let times: [Double]
  /// The times of each pass's frames in nanoseconds; none where there are no frames.
  let frames: [[Double]]
  /// The first row, whose other columns are those of all samples.
  let record: Record
  let memcpyRatio: Estimate?
  /// Columns that other records lack.
  let extras: [String: String]
  /// The command that repeats the case; nil where its name is none that `run` takes.
  let command: String?
  /// What names an external kernel on the command line; empty for ours.
  let words: String
  /// The command's place in a list of all.
  var commandPlace: Int?

  /// Reads the cases of a file's records, in order of appearance.
  ///
  /// - Parameter words: of the command line that names external kernels, such as `--peers`.
  static func cases(_ records: [Record], _ extras: [[String: String]], file: Int, words: String) -> [Self] {
    var order: [String] = []
    var rows: [String: [Int]] = [:]
    for (index, record) in records.enumerated() {
      if rows[record.name] == nil { order.append(record.name) }
      rows[record.name, default: []].append(index)
    }
    return order.compactMap { name in
      guard let places = rows[name] else { return nil }
      return ReportCase(
        places.map { records[$0] }, extras.isEmpty ? [:] : extras[places[0]], file: file, words: words)
    }
  }

  private init?(_ all: [Record], _ extras: [String: String], file: Int, words: String) {
    record = all.first { !$0.isMeasured } ?? all[0]
    let item = record.item
    var fields = Self.fields(of: record.name)
    guard let kernel = fields["kernel"] else { return nil }
    if let layout = item?.workload.layout { fields["size"] = Size(layout).text }
    // Cases with a mask are never compared with others: they go with what lies beyond the edge.
    if let mask = fields["mask"] { fields["edge"] = "\(fields["edge"] ?? ""), mask \(mask)" }
    self.kernel = kernel
    self.fields = fields
    self.file = file
    self.extras = extras
    let measured = record.isMeasured ? all : []
    times = measured.compactMap(\.realTime)
    frames = measured.map(\.frames.times).filter { !$0.isEmpty }
    memcpyRatio = Estimate(ratioToMemcpy: measured)
    command = item.map { $0.shellCommand(words) }
    self.words = item?.isExternal == true ? words : ""
  }

  /// The parts of a name; what is no part of its own belongs to the one before it.
  static func fields(of name: String) -> [String: String] {
    var fields: [String: String] = [:]
    var last: String?
    for part in name.split(separator: "/", omittingEmptySubsequences: false).dropFirst() {
      let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      if pair.count == 2, Case.keys.contains(String(pair[0])), fields[String(pair[0])] == nil {
        last = String(pair[0])
        fields[String(pair[0])] = String(pair[1])
      } else if let last {
        fields[last, default: ""] += "/\(part)"
      }
    }
    return fields
  }
}

extension ReportCase: Encodable {
  /// What stands at each place of the encoded array.
  static let columns = [
    "file", "scene", "kernel", "isa", "threads", "format", "size", "sigma", "edge", "pace", "times", "low",
    "high", "error", "certified", "psnr", "achieved", "memcpy", "memcpyLow", "memcpyHigh", "plan", "state",
    "message",
    "command", "extras", "frames",
  ]

  func encode(to encoder: any Encoder) throws {
    var row = encoder.unkeyedContainer()
    try row.encode(file)
    for key in ["scene", "kernel", "isa"] { try row.encode(fields[key] ?? "") }
    try row.encode(record.threads)
    for key in ["format", "size"] { try row.encode(fields[key] ?? "") }
    try row.encode(fields["sigma"].flatMap(Double.init).flatMap { $0.isFinite ? $0 : nil })
    for key in ["edge", "pace"] { try row.encode(fields[key] ?? "") }
    try row.encode(times.map(\.inFiveDigits))
    let interval = Estimate(times)
    let numbers = [
      interval?.low, interval?.high, record.maxErrorLevels, record.certifiedLevels, record.psnr,
      record.achievedSigma,
      memcpyRatio?.median, memcpyRatio?.low, memcpyRatio?.high, record.planTime,
    ]
    for number in numbers { try row.encode(number?.inFiveDigits) }
    try row.encode(record.isSkipped ? "skipped" : record.errorOccurred ? "wrong" : "")
    try row.encode(record.errorMessage)
    try row.encode(commandPlace)
    try row.encode(extras.isEmpty ? nil : extras)
    try row.encode(frames.map { $0.map(\.inFiveDigits) })
  }
}

extension Case {
  /// Whether the kernel is none of this build.
  fileprivate var isExternal: Bool {
    kernel != Self.memcpy && !Registry.all.contains { $0.name == kernel }
  }

  /// ``command`` for a shell, whatever the kernel is called, with what names external kernels.
  func shellCommand(_ words: String) -> String {
    var quoted = self
    quoted.kernel = kernel.inShell
    return quoted.command + (isExternal ? words : "")
  }
}

extension String {
  /// The text as one word of a shell's command line.
  var inShell: String {
    let isPlain =
      !isEmpty && allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-_./:+@,".contains($0)) }
    return isPlain
      ? self : "'" + split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
  }
}

extension Double {
  /// The number with five significant digits: more than any time has.
  var inFiveDigits: Double { Double(String(format: "%.5g", self)) ?? self }
}
