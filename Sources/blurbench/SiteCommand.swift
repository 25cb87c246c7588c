import ArgumentParser
import BlurRecords
import BlurReport
import BlurText
import Foundation

/// `blurbench site`: static pages of all results.
struct SiteCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "site",
    abstract: "Make static pages of all results: an overview, and a report for each machine and date.",
    discussion: """
      RESULTS has a folder for each machine, with the files of `blurbench run` and `blurbench certify --csv`. The pages \
      need no network and no server. --check makes none, and says what keeps the results of a machine from being \
      published.

      Examples:
        blurbench site Results --folder site
        blurbench site Results --folder site --source https://github.com/OWNER/BlurBench/blob/main/Results
        blurbench site Results --check my-machine

      Exit codes: 0 good, 1 could not do it, 3 --check found something, 64 usage.
      """)

  @Argument(help: ArgumentHelp("The folder with all results.", valueName: "results"), completion: .directory)
  var results: String
  @Option(help: ArgumentHelp("The folder to write to; made if there is none.", valueName: "DIR"))
  var folder: String?
  @Option(help: ArgumentHelp("Where readers find RESULTS, for links to the files.", valueName: "URL"))
  var source: String?
  @Option(
    help: ArgumentHelp("Check the results of one machine: the name of its folder.", valueName: "MACHINE"))
  var check: String?

  func validate() throws {
    guard (folder == nil) != (check == nil) else {
      throw ValidationError("give either --folder DIR or --check MACHINE")
    }
    guard source?.hasPrefix("https://") ?? true else {
      throw ValidationError("--source '\(source ?? "")': must begin with https://")
    }
  }

  func run() throws {
    if let check { try checkResults(of: check) } else if let folder { try writePages(to: folder) }
  }

  private func checkResults(of machine: String) throws {
    let faults = try Site.faults(of: "\(results)/\(machine)")
    for fault in faults { print(fault) }
    guard faults.isEmpty else { throw ExitCode.checkFailed }
    print("\(results)/\(machine) can be published")
  }

  private func writePages(to folder: String) throws {
    let site = try Site(of: results, source: source) { Terminal.progress($0) }
    Terminal.progress("")
    for file in site.leftOut { Terminal.say("left out: \(file)") }
    for page in site.pages {
      let url = URL(filePath: folder).appending(path: page.path)
      do {
        try FileManager.default.createDirectory(
          at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
      } catch {
        throw MeasurementError.file(path: folder, reason: "cannot be made: \(error.localizedDescription)")
      }
      try TextFile.write(page.html, to: url.path)
    }
    print("\(site.pages.count) pages, the first is \(folder)/index.html")
  }
}
