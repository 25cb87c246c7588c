import Blur
import BlurRecords
import BlurText
import Foundation

/// A benchmark case in a report: one kernel on one workload, with all measured samples and the parts of the
/// case's name.
struct ReportCase: Sendable {
  let kernel: String
  /// The dimensions and values that the case's name consists of. For example, if the name contains `sigma=5`,
  /// the dictionary maps `sigma` to `5`.
  let fields: [String: String]
  /// The index of the file that contains the case, in the report's list of files.
  let file: Int
  /// The wall times of the samples, in nanoseconds.
  let times: [Double]
  /// The frame times of each repetition, in nanoseconds. The array is empty if the case has no frames.
  let frames: [[Double]]
  /// The record that represents the whole case: the first record that is skipped or wrong if there is one,
  /// and otherwise the first record. Apart from the times, all records of a case have the same values.
  let record: Record
  let memcpyRatio: Estimate?
  /// The values of additional columns, such as the columns for scenes. The keys are the names of the
  /// columns. Not all record files have these columns.
  let extras: [String: String]
  /// The command that measures the case again, or nil if the case's name cannot be translated into options of
  /// `blurbench run`.
  let command: String?
  /// The command-line options that load the external kernel of this case, such as ` --peers`. The text is
  /// empty for a kernel of this package.
  let words: String
  /// The index of the case's command in ``ReportData/commands``.
  var commandPlace: Int?

  /// Groups the records of a file into cases. Records with the same case name are samples of the same case.
  /// The cases are ordered by their first record.
  ///
  /// - Parameter words: The command-line options with which the run loaded external kernels, such as
  ///   `--peers`.
  static func cases(_ records: [Record], _ extras: [[String: String]], file: Int, words: String) -> [Self] {
    records.indices.inGroups { records[$0].name }.compactMap { _, places in
      ReportCase(
        places.map { records[$0] }, extras.isEmpty ? [:] : extras[places[0]], file: file, words: words)
    }
  }

  private init?(_ all: [Record], _ extras: [String: String], file: Int, words: String) {
    record = all.first { !$0.isMeasured } ?? all[0]
    let item = record.item
    var fields = Self.fields(of: record.name)
    guard let kernel = fields["kernel"] else { return nil }
    if let layout = item?.workload.layout { fields["size"] = Size(layout).text }
    // The page never compares cases with different edge modes. Cases with a mask or with straight alpha must
    // not be compared with other cases either, so the mask and the alpha are added to the edge mode.
    for key in ["mask", "alpha"] {
      if let value = fields[key] { fields["edge"] = "\(fields["edge"] ?? ""), \(key) \(value)" }
    }
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

  /// Returns the values in a case's name by key. The name consists of parts such as `sigma=5`, separated by
  /// slashes. A part that does not begin with a known key belongs to the value before it, which then contains
  /// a slash.
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
  /// The columns of a case on the page. A case is encoded as a JSON array without keys, so the page finds
  /// each value by the position of its column.
  static let table = Table<ReportCase>([
    Column("file") { $0.file }, field("scene"), field("kernel"), field("isa"),
    Column("threads") { $0.record.threads }, field("format"), field("size"),
    Column("sigma") { $0.fields["sigma"].flatMap(Double.init)?.finite }, field("edge"), field("pace"),
    Column("times") { $0.times.map(\.inFiveDigits) }, Column("low") { Estimate($0.times)?.low.inFiveDigits },
    Column("high") { Estimate($0.times)?.high.inFiveDigits },
    Column("error") { $0.record.maxErrorLevels?.inFiveDigits },
    Column("certified") { $0.record.certifiedLevels?.inFiveDigits },
    Column("psnr") { $0.record.psnr?.inFiveDigits },
    Column("achieved") { $0.record.achievedSigma?.inFiveDigits },
    Column("memcpy") { $0.memcpyRatio?.median.inFiveDigits },
    Column("memcpyLow") { $0.memcpyRatio?.low.inFiveDigits },
    Column("memcpyHigh") { $0.memcpyRatio?.high.inFiveDigits },
    Column("plan") { $0.record.planTime?.inFiveDigits },
    Column("state") { $0.record.isSkipped ? "skipped" : $0.record.errorOccurred ? "wrong" : "" },
    Column("message") { $0.record.errorMessage }, Column("command") { $0.commandPlace },
    Column("extras") { $0.extras.isEmpty ? nil : $0.extras },
    Column("frames") { $0.frames.map { $0.map(\.inFiveDigits) } },
  ])

  private static func field(_ key: String) -> Column<ReportCase> { Column(key) { $0.fields[key] ?? "" } }

  func encode(to encoder: any Encoder) throws { try Self.table.encode(self, to: encoder) }
}

extension Case {
  /// Whether the kernel is external, for example from a plug-in. The kernels of this build and memcpy are not
  /// external.
  fileprivate var isExternal: Bool {
    kernel != Self.memcpy && !Registry.all.contains { $0.name == kernel }
  }

  /// Returns the command that measures this case again, quoted for a shell. The name of the kernel may
  /// contain any characters.
  ///
  /// - Parameter words: The options that load external kernels, beginning with a space. They are appended to
  ///   the command if the kernel of this case is external.
  func shellCommand(_ words: String) -> String {
    var quoted = self
    quoted.kernel = kernel.inShell
    return quoted.command + (isExternal ? words : "")
  }
}

extension String {
  /// The text, quoted so that a shell reads it as a single word.
  var inShell: String {
    let isPlain =
      !isEmpty && allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-_./:+@,".contains($0)) }
    return isPlain ? self : "'" + replacing("'", with: "'\\''") + "'"
  }
}

extension Double {
  /// The number rounded to five significant digits. No measured time is more precise than that.
  var inFiveDigits: Double { Double(String(format: "%.5g", self)) ?? self }
}
