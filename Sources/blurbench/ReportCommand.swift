import ArgumentParser
import BlurMeasurement
import BlurRecords
import BlurReport
import BlurText
import Foundation

/// `blurbench report`: a page of plots and pictures from records.
struct ReportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "report",
    abstract: "Make a page of plots and pictures from records, certificates and comparisons: one HTML file.",
    discussion: """
      Files: FILE.csv of `blurbench run`, of `blurbench certify --csv`, and the JSON of \
      `blurbench compare --json`, in any mixture. FILE.txt beside a .csv says where it was measured. Records \
      of several dates of one machine make a history. The page needs no network; its kernels of this build \
      are drawn and certified here.

      Examples:
        blurbench report run.csv --output report.html
        blurbench report a.csv b.csv --output both.html

      Exit codes: 0 good, 1 could not do it, 4 nothing to show, 64 usage.
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
    guard output.hasSuffix(".html") || output.hasSuffix(".htm") else {
      throw ValidationError("--output '\(output)': must end with .html")
    }
  }

  func run() throws {
    let report = Report(
      try files.map { path throws(MeasurementError) in try ReportFile(at: path) }, showsKernels: pictures
    ) {
      Terminal.progress($0)
    }
    Terminal.progress("")
    try TextFile.write(try report.html(), to: output)
    // Names of kernels are untrusted: they may hold commands for a terminal.
    for sentence in report.sentences { print(PlainText.shown(sentence)) }
    if report.sentences.isEmpty { throw ExitCode.cannotTell }
  }
}
