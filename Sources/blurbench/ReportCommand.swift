import ArgumentParser
import BlurRecords
import BlurReport
import BlurText
import Foundation

/// The command `blurbench report`, which makes a page with plots and pictures from records.
struct ReportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "report",
    abstract: "Make one HTML page with plots and pictures of records, certificates and comparisons.",
    discussion: """
      The files may be any mixture of records (FILE.csv from `blurbench run`), certificates (from \
      `blurbench certify --csv`) and comparisons (from `blurbench compare --json`). The file \
      FILE.txt next to FILE.csv says where the records were measured. If there are records of several \
      dates from one machine, the page shows how the times changed. The page needs no network. If this \
      build has a kernel that occurs in the files, the page also shows pictures and a certificate of this \
      kernel, which are computed now.

      Examples:
        blurbench report run.csv --output report.html
        blurbench report a.csv b.csv --output both.html

      Exit codes: 0 success, 1 the command could not be carried out, 4 nothing to show, 64 wrong usage.
      """)

  @Argument(
    help: ArgumentHelp("The files with records, certificates and comparisons.", valueName: "file"),
    completion: .file(extensions: ["csv", "json"]))
  var files: [String]
  @Option(
    help: ArgumentHelp("The page to write.", valueName: "FILE.html"), completion: .file(extensions: ["html"]))
  var output: String
  @Flag(
    inversion: .prefixedNo,
    help: "Compute and show certificates of the kernels, and pictures of their results.")
  var pictures = true

  func validate() throws {
    try require(
      output.hasSuffix(".html") || output.hasSuffix(".htm"), "--output '\(output)': must end with .html")
  }

  func run() throws {
    let report = Report(
      try files.map { path throws(MeasurementError) in try ReportFile(at: path) }, showsKernels: pictures
    ) {
      Terminal.progress($0)
    }
    Terminal.progress("")
    try TextFile.write(try report.html(), to: output)
    // The names of kernels come from files and may contain control sequences for the terminal, so `shown`
    // replaces their control characters.
    for sentence in report.sentences { print(PlainText.shown(sentence)) }
    if report.sentences.isEmpty { throw ExitCode.cannotTell }
  }
}
