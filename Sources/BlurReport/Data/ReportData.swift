import Blur
import BlurComparison
import BlurRecords
import Foundation

/// All data that a report shows. The data is embedded in the HTML page as JSON, and a script draws it.
struct ReportData: Encodable {
  let sentences: [String]
  private let files: [File]
  /// The names of the kernels in the report. The kernels of this build come first, in the order of its list,
  /// followed by all other kernels in alphabetical order.
  let kernels: [String]
  /// The index of each kernel in this build's list of kernels, or -1 for a kernel that is not in that list.
  /// The page derives a kernel's colour from this index, so the kernel has the same colour on all pages.
  let places: [Int]
  let columns = ReportCase.table.columns.map(\.title)
  let cases: [ReportCase]
  /// The commands that measure the cases again. Each command is stored once, and a case refers to its command
  /// by the index in this array, because many cases have the same command.
  let commands: [String]
  private let comparisons: [Compared]
  let histories: [History]
  /// For each machine that was measured on several days, a sentence that says how its times have changed.
  let historySentences: [String]
  let certificates: Certificates
  let fastest: [FastestTable]
  private let summaries: KernelSummaries?
  /// The address of a page that this page links to, or nil for no link.
  let home: String?

  /// A file of the report, and the provenance of its contents.
  private struct File: Encodable {
    let path: String, kind: String, origin: [[String]]
  }

  /// The summaries of this build's kernels. For comparison, `picture` is the sample picture before the blur,
  /// and `gaussian` holds the weights and the spectrum of the exact Gaussian.
  fileprivate struct KernelSummaries: Encodable {
    let sigma: Double, reach: Int
    let picture: String
    let gaussian: KernelSummary.Response
    let kernels: [KernelSummary]
  }

  /// The result of `blurbench compare`, reduced to the texts and numbers that the page shows.
  fileprivate struct Compared: Encodable {
    let base: String, head: String, sentence: String, threshold: Double
    let notes: [String]
    let cases: [ComparedCase]

    struct ComparedCase: Encodable {
      let fields: [String: String]
      let verdict: String
      let ratio: [Double]?, control: [Double]?
      let pairs: Int
      let detects: Double?, base: Double?, head: Double?
      let remarks: [String]
      let command: String?
    }
  }

  /// Collects the data of a report from its files. ``Report`` explains the parameters.
  init(_ files: [ReportFile], showsKernels: Bool, home: String?, progress: (String) -> Void) {
    self.home = home
    self.files = files.map { file in
      File(path: file.path, kind: file.kind, origin: file.provenance.lines.map { [$0.key, $0.value] })
    }
    (cases, commands) = Self.cases(of: files)
    let compared = files.compactMap {
      if case .comparison(let comparison) = $0.content { comparison } else { nil }
    }
    comparisons = compared.map(Compared.init)
    histories = Self.histories(of: files)
    historySentences = histories.map { $0.sentence + "." }
    var tables = files.compactMap {
      if case .certificates(let table) = $0.content { table } else { nil }
    }
    let given = Certificates(tables, cases)
    let runs = files.enumerated().compactMap { ReportRun($0.element, place: $0.offset) }
      .sorted { $0.isAhead(of: $1) }
    fastest = runs.compactMap { [cases] in FastestTable($0.winners, cases, file: $0.place) }
    sentences = Self.sentences(cases, runs, compared, histories, given)
    let names = given.kernels.union(cases.map(\.kernel)).union(
      comparisons.flatMap { $0.cases.compactMap { $0.fields["kernel"] } })
    let own = Registry.kernels.filter { names.contains($0.name) }
    kernels = own.map(\.name) + names.subtracting(own.map(\.name) + [Case.memcpy]).sorted()
    places = kernels.map { name in Registry.kernels.firstIndex { $0.name == name } ?? -1 }
    summaries = showsKernels ? KernelSummaries(own, progress) : nil
    let missing = showsKernels ? own.filter { !given.kernels.contains($0.name) } : []
    tables += [Certificates.table(of: missing, progress)].compactMap(\.self)
    certificates = Certificates(tables, cases)
  }

  private static func cases(of files: [ReportFile]) -> ([ReportCase], commands: [String]) {
    var cases = files.enumerated().flatMap { index, file -> [ReportCase] in
      guard case .records(let records, let extras) = file.content else { return [] }
      return ReportCase.cases(records, extras, file: index, words: file.pluginWords)
    }
    var places: [String: Int] = [:]
    var commands: [String] = []
    for index in cases.indices {
      guard let command = cases[index].command else { continue }
      if places[command] == nil {
        places[command] = commands.count
        commands.append(command)
      }
      cases[index].commandPlace = places[command]
    }
    return (cases, commands)
  }

  /// Returns a history for each machine that was measured on at least two days. A history shows how the times
  /// of a machine have changed from day to day.
  private static func histories(of files: [ReportFile]) -> [History] {
    let dated = files.compactMap { file -> DatedRecords? in
      guard case .records(let records, _) = file.content, let date = file.date else { return nil }
      return DatedRecords(path: file.path, date: date, records: records)
    }
    let machines = Dictionary(grouping: dated) { $0.records.first?.machineKey ?? "" }
    // A history needs runs on at least two days. Two runs on the same day do not make a history, so only the
    // days of the runs are counted.
    let day = { (date: Date) in date.formatted(.iso8601.year().month().day()) }
    return machines.sorted { $0.key < $1.key }.filter { Set($0.value.map { day($0.date) }).count > 1 }
      .compactMap { try? History($0.value) }
      .filter { history in history.trends.contains { $0.change != nil } }
  }
}

extension ReportData.KernelSummaries {
  fileprivate init?(_ kernels: [Kernel], _ progress: (String) -> Void) {
    guard !kernels.isEmpty, let original = try? KernelSummary.original() else { return nil }
    sigma = KernelSummary.sigma
    reach = KernelSummary.Response.reach
    (picture, gaussian) = original
    self.kernels = kernels.compactMap { kernel in
      progress("summary of \(kernel.name)")
      return KernelSummary(kernel)
    }
  }
}

extension ReportData.Compared {
  fileprivate init(_ comparison: Comparison) {
    (base, head, sentence) = (comparison.base, comparison.head, comparison.sentence)
    threshold = comparison.threshold
    notes = comparison.caveats + comparison.notes
    cases = comparison.cases.map { item in
      let remarks =
        item.faults.map { "\($0.kind.rawValue): \($0.reason)" }
        + [item.base.problem.map { "base: \($0)" }, item.head.problem.map { "head: \($0)" }].compactMap(
          \.self)
      return ComparedCase(
        fields: ReportCase.fields(of: item.name),
        verdict: item.openFaults.isEmpty ? item.verdict.rawValue : "wrong",
        ratio: item.ratio.map { [$0.estimate, $0.low, $0.high] },
        control: item.control.map { [$0.estimate, $0.low, $0.high] }, pairs: item.pairs,
        detects: item.smallestDetectable, base: item.base.time, head: item.head.time, remarks: remarks,
        command: Self.command(item, of: comparison))
    }
  }

  /// Returns the command that repeats the comparison for one case. If stored records were compared, the
  /// command measures the case again.
  private static func command(_ item: CaseComparison, of comparison: Comparison) -> String? {
    guard let measured = try? Case(name: item.name) else { return nil }
    let command = measured.shellCommand("")
    let run = "blurbench run"
    switch comparison.method {
    case .records: return command
    case .processes:
      return "blurbench compare \(comparison.base.inShell) \(comparison.head.inShell)"
        + command.dropFirst(run.count)
    case .kernels:
      return "blurbench compare --kernel \(comparison.base.inShell)" + command.dropFirst(run.count)
    }
  }
}

extension ReportFile {
  /// The kind of the file's contents. The report page shows this word after the path of the file.
  var kind: String {
    switch content {
    case .records: "records"
    case .certificates: "certificates"
    case .comparison: "comparison"
    }
  }

  /// The date of the run, which is read from the provenance, or else from the beginning of the file's name.
  var date: Date? { DatedRecords.date(of: path, stated: provenance["date"]) }

  /// The options of the run's command line that load external kernels, such as ` --peers`.
  var pluginWords: String {
    let words = (provenance["command"] ?? "").split(separator: " ").map(String.init)
    return words.indices.map { index in
      switch words[index] {
      case "--peers": " --peers"
      case "--plugin", "--python":
        // Each of these options can be followed by several files.
        " \(words[index])"
          + words[(index + 1)...].prefix { !$0.hasPrefix("-") }.map { " \($0.inShell)" }.joined()
      default: ""
      }
    }.joined()
  }
}
