import ArgumentParser
import BlurRecords
import BlurReport
import BlurText
import Foundation

/// The verb `blurbench report`, which makes a page of plots and pictures from records.
struct ReportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "report",
    abstract: "Make a page of plots and pictures from records, certificates and comparisons: one HTML file.",
    discussion: """
      The files may be any mixture of records (FILE.csv of `blurbench run`), certificates (of `blurbench \
      certify --csv`) and comparisons (of `blurbench compare --json`). The file FILE.txt next to a .csv says \
      where it was measured. Records of one machine with several dates make a history. The page needs no \
      network. The kernels of this build that the files name are drawn and certified now.

      Examples:
        blurbench report run.csv --output report.html
        blurbench report a.csv b.csv --output both.html

      Exit codes: 0 success, 1 the command could not be carried out, 4 nothing to show, 64 wrong usage.
      """)

  @Argument(
    help: ArgumentHelp("Records, certificates and comparisons.", valueName: "file"),
    completion: .file(extensions: ["csv", "json"]))
  var files: [String]
  @Option(
    help: ArgumentHelp("The page to write.", valueName: "FILE.html"), completion: .file(extensions: ["html"]))
  var output: String
  @Flag(inversion: .prefixedNo, help: "Draw and certify the kernels of this build that the files name.")
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
    // The names of kernels are untrusted and may contain terminal control sequences, so they are escaped.
    for sentence in report.sentences { print(PlainText.shown(sentence)) }
    if report.sentences.isEmpty { throw ExitCode.cannotTell }
  }
}
