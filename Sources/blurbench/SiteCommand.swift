import ArgumentParser
import BlurRecords
import BlurReport
import BlurText
import Foundation

/// The verb `blurbench site`, which makes a static web site with the results of all machines.
struct SiteCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "site",
    abstract: "Make static pages of all results: an overview, and a report for each machine and date.",
    discussion: """
      RESULTS must have a folder for each machine, with the files from `blurbench run` and \
      `blurbench certify --csv`. The pages need no network and no server. With --check, the command makes \
      no pages. Instead, it lists the reasons why the results of a machine, or one file with results, \
      cannot be published. If DIR already has web/index.html, the overview links to that page.

      Examples:
        blurbench site Results --folder site
        blurbench site Results --folder site --source https://github.com/OWNER/BlurBench/blob/main/Results
        blurbench site Results --check my-machine/2026-11-21-standard.csv

      Exit codes: 0 success, 1 the command could not be carried out, 3 --check found a reason not to \
      publish, 64 wrong usage.
      """)

  @Argument(
    help: ArgumentHelp("The folder with the results of all machines.", valueName: "results"),
    completion: .directory)
  var results: String
  @Option(
    help: ArgumentHelp("The folder to write to. It is created if it does not exist.", valueName: "DIR"),
    completion: .directory)
  var folder: String?
  @Option(
    help: ArgumentHelp(
      "The web address of the folder RESULTS. The pages link to the files at this address.",
      valueName: "URL"))
  var source: String?
  @Option(
    help: ArgumentHelp(
      "Check all results of one machine, or only one file with results. MACHINE is the machine's folder in "
        + "RESULTS, and FILE is a file in this folder.",
      valueName: "MACHINE[/FILE]"))
  var check: String?

  func validate() throws {
    try require((folder == nil) != (check == nil), "give either --folder DIR or --check MACHINE")
    let names = check?.split(separator: "/", omittingEmptySubsequences: false) ?? ["any"]
    try require(
      names.count <= 2 && names.allSatisfy({ !$0.isEmpty && !$0.hasPrefix(".") }),
      "--check '\(check ?? "")': must be the name of a folder in RESULTS, or FOLDER/FILE.csv")
    try require(source?.hasPrefix("https://") ?? true, "--source '\(source ?? "")': must begin with https://")
  }

  func run() throws {
    if let check { try checkResults(of: check) } else if let folder { try writePages(to: folder) }
  }

  private func checkResults(of name: String) throws {
    let faults = try Site.faults(of: "\(results)/\(name)")
    for fault in faults { print(fault) }
    guard faults.isEmpty else { throw ExitCode.checkFailed }
    print("\(results)/\(name) can be published")
  }

  private func writePages(to folder: String) throws {
    // Making the pages takes seconds, so the folder is created first. If the folder cannot be created, the
    // user sees the error at once.
    try TextFile.makeFolder(URL(filePath: folder).path)
    let web = FileManager.default.fileExists(atPath: "\(folder)/\(Self.web)") ? Self.web : nil
    let site = try Site(of: results, source: source, web: web) { Terminal.progress($0) }
    Terminal.progress("")
    for file in site.leftOut { Terminal.say("left out: \(file)") }
    for page in site.pages {
      let url = URL(filePath: folder).appending(path: page.path)
      try TextFile.makeFolder(url.deletingLastPathComponent().path)
      try TextFile.write(page.html, to: url.path)
    }
    print("wrote \(site.pages.count.of("page")); the first page is \(folder)/index.html")
  }

  /// The path of the page that docs/web/build writes, relative to the folder of the site.
  private static let web = "web/index.html"
}
