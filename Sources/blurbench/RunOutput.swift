import ArgumentParser
import BlurComparison
import BlurMeasurement
import BlurRecords
import BlurText
import Foundation

/// Prints the results of a run when the run ends or is interrupted.
struct RunOutput {
  let json: Bool, csv: Bool, verbose: Bool, output: String?
  /// The names of the plug-in kernels. A summary is printed for each of these kernels, even if other kernels
  /// are faster.
  let plugins: [String]

  /// The line limit for the table of all cases. A longer table is printed only with `--verbose`.
  private static let shortTable = 24

  func show(_ records: [Record], _ provenance: Provenance) {
    if json {
      print(RecordsJSON.document(records, context: provenance.context), terminator: "")
    } else if csv {
      print(RecordsCSV.text(records), terminator: "")
    } else {
      let (table, winners) = (ResultTable(records), Winners(records))
      let showsAll = verbose || table.ofBlurs.lineCount <= Self.shortTable
      let texts = [
        table.ofFrames.text, showsAll ? table.ofBlurs.text : "", winners.text(colour: Terminal.hasColour),
        records.summary(ofPlugins: plugins),
        showsAll ? "" : Self.rest(of: records, winners, output),
      ]
      print(texts.filter { !$0.isEmpty }.joined(separator: "\n"), terminator: "")
    }
    fflush(nil)
  }

  /// Returns the results as Markdown: a table of the fastest kernel for each workload, followed by collapsed
  /// sections with all cases and with the provenance.
  static func markdown(_ records: [Record], _ provenance: Provenance, plugins: [String]) -> String {
    [
      Winners(records).markdown, records.summary(ofPlugins: plugins).markdown,
      String.folded("All cases", Ranking(records).markdown),
      String.folded("Where this was measured", "```text\n\(provenance.text)```"),
    ].filter { !$0.isEmpty }.joined(separator: "\n\n") + "\n"
  }

  /// Returns a note about the printed table, which shows only the fastest kernel of each workload. The note
  /// tells the user how to see all cases.
  private static func rest(of records: [Record], _ winners: Winners, _ output: String?) -> String {
    let cases = Set(records.filter { !$0.isCopy }.map(\.name)).count
    let refused = Set(records.filter(\.isSkipped).map(\.name)).count
    let wrong = Set(records.filter(\.errorOccurred).map(\.name)).count
    let skipped =
      (refused == 0 ? "" : ", \(refused) of them skipped")
      + (wrong == 0 ? "" : ", \(wrong) of them wrong")
    let precision = winners.precision.isEmpty ? "" : "\n\(winners.precision) Another run may differ by more."
    return """
      Times are medians, for one thread unless noted. If a cell names several kernels, the confidence \
      intervals of their times overlap.\
      \(precision)
      To see all \(cases) cases\(skipped), use --verbose, or `blurbench rank \(output ?? "FILE.csv")`.

      """
  }
}

extension RunCommand {
  /// Prints what disturbed the run, what changed since the last run, where the records are, and which
  /// commands to use next.
  func sayNotes(on records: [Record], _ plan: MeasurementPlan) {
    for note in [records.speedShiftNote, records.disturbanceNote].compactMap(\.self) {
      Terminal.say("note: \(note)")
    }
    if let changes = changes(in: records, of: plan.suite.name) { Terminal.say(changes) }
    if let output { Terminal.say("records: \(output), with .json and .txt files next to it") }
    if !json && !csv && plan.jobs.count > 1 { Terminal.say(next) }
  }

  /// Saves the run as a baseline for `blurbench compare`.
  func keep(
    _ records: [Record], _ provenance: Provenance, as name: String
  ) throws(MeasurementError) {
    let kernels = plugins.external
    guard let runs = SavedRuns(), let program = Bundle.main.executableURL else {
      throw .failed(
        "--save \(name): the folder for baselines is unknown; set the variable HOME or XDG_STATE_HOME")
    }
    try runs.save(
      records, provenance: provenance.text, program: program, kernels: kernels, as: name)
    let later = kernels.isEmpty ? "a later build" : "later kernels"
    Terminal.say(
      "saved as baseline '\(name)'; `blurbench compare \(name)` compares \(later) with this baseline")
  }

  /// Returns a line of text that compares this run with the last run of the same cases, or nil if there is no
  /// earlier run to compare with. This function also stores the records of this run, so that the next run can
  /// be compared with them.
  ///
  /// The two runs took place at different times, so a difference proves nothing about a kernel. The
  /// comparison is therefore only one line long and never changes the exit code.
  private func changes(in records: [Record], of suite: String) -> String? {
    guard let runs = SavedRuns() else { return nil }
    let last = runs.last(of: suite)
    do { try runs.keepLast(records, of: suite) } catch { return "note: \(error)" }
    var options = ComparisonOptions()
    options.acceptsOutputs = true
    let names = Set(records.map(\.name))
    // The old records may come from several builds. ``BlurComparison/RecordComparison`` would reject such
    // records, so the names of their builds are erased. This is acceptable, because the comparison is only a
    // hint for the user.
    let old = (last?.records ?? []).filter { names.contains($0.name) }.map { record in
      var record = record
      record.build = ""
      return record
    }
    guard records.contains(where: { $0.isMeasured && !$0.isCopy }) else { return nil }
    guard let last, let comparison = try? RecordComparison(old, records, options),
      case let result = comparison.result(base: "last", head: "this"), !result.cases.isEmpty
    else { return nil }
    let date = last.date.formatted(.iso8601.year().month().day().time(includingFractionalSeconds: false))
    let when = "\(date.replacing("T", with: " ")); the build or a plug-in may have changed"
    return "Since these cases ran here last (\(when)): \(result.line)."
  }

  private var next: String {
    let program = CommandLine.arguments[0].trimmingPrefix(FileManager.default.currentDirectoryPath + "/")
    let report = "all cases as plots and pictures, on one page"
    let commands =
      [
        output.map { ["report \($0) --output report.html", report] }
          ?? [
            "run --output FILE.csv", "keep the records; `report FILE.csv` shows them as plots and pictures",
          ]
      ] + tuning + comparison
    let table = Table<[String]>([Column { "\(program) \($0[0])" }, Column { $0[1] }])
    return "Next:\n" + table.text(commands, indent: 2)
  }

  /// A suggestion to run `tune`, or an empty array if external kernels were measured, because `tune` measures
  /// only the library's own kernels.
  private var tuning: [[String]] {
    plugins.external.isEmpty
      ? [["tune", "measure kernels, so that programs on this machine choose the fastest ones"]] : []
  }

  /// A suggested command for finding out whether a change made a kernel slower. The command compares two
  /// plug-in files or two git revisions if possible, and otherwise saves a baseline for a later comparison.
  private var comparison: [[String]] {
    let change = "find out whether a change made a kernel slower, or wrong"
    if let plugin = plugins.plugin.last { return [["compare OLD.so \(plugin)", change]] }
    if ComparisonSide.canBuildRevisions { return [["compare HEAD~1 HEAD", change]] }
    return [
      [
        "run --save before",
        "after you change a kernel, `compare before` shows whether it became slower or wrong",
      ]
    ]
  }
}
