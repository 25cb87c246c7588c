import BlurRecords
import BlurText
import Foundation

/// Static pages of all results: an overview of who wins where, and a report for each machine and date.
///
/// Results are folders of files, one for each machine; files of one run begin with its date.
public struct Site {
  /// A page: its path below the site's folder, and its text.
  public struct Page: Sendable {
    public let path: String, html: String
  }

  /// The overview, which links to the others, then a report for each machine and date, and a history for each
  /// machine: of the cases that were timed on several days. Each links back to the overview.
  public let pages: [Page]
  /// Files that are no part of a report, each with the reason.
  public let leftOut: [String]

  /// Makes the pages.
  ///
  /// - Parameters:
  ///   - folder: the results.
  ///   - source: where readers find that folder, for links to the files; nil for no links.
  ///   - web: the page that blurs in the browser, as the overview links to it; nil for none.
  ///   - progress: called with what is being done.
  /// - Throws: ``BlurRecords/MeasurementError`` where the folder cannot be read or holds no results;
  ///   `EncodingError`.
  public init(
    of folder: String, source: String?, web: String? = nil, progress: (String) -> Void = { _ in }
  ) throws {
    var pages: [Page] = []
    var machines: [SiteData.Machine] = []
    var leftOut: [String] = []
    for machine in try Self.entries(of: folder) where TextFile.isFolder("\(folder)/\(machine)") {
      let files = try Self.files(of: "\(folder)/\(machine)", &leftOut)
      guard !files.isEmpty else { continue }
      var dates: [SiteData.Day] = []
      for (day, files) in Dictionary(grouping: files, by: \.day).sorted(by: { $0.key > $1.key }) {
        progress("\(machine), \(day)")
        let report = Report(files, home: "../index.html")
        let path = "\(machine)/\(day).html"
        pages.append(Page(path: path, html: try report.html()))
        let links = files.map { SiteData.File($0, "\(machine)/\($0.name)", source) }
        dates.append(SiteData.Day(day: day, page: path, sentences: report.sentences, files: links))
      }
      var history: SiteData.History?
      let repeated = files.repeated
      if !repeated.isEmpty {
        let path = "\(machine)/history.html"
        let report = Report(repeated, showsKernels: false, home: "../index.html")
        pages.append(Page(path: path, html: try report.html()))
        history = SiteData.History(page: path, sentence: report.historySentences.joined(separator: " "))
      }
      machines.append(SiteData.Machine(machine, files, dates, history))
    }
    guard !machines.isEmpty else {
      throw MeasurementError.file(
        path: folder, reason: "has no folder with files of records; RESULTS has one for each machine")
    }
    let overview = Page(
      path: "index.html", html: try Report.page([PackageResources.site_js], of: SiteData(machines, web: web)))
    self.pages = [overview] + pages
    self.leftOut = leftOut
  }

  static func files(of folder: String, _ leftOut: inout [String]) throws(MeasurementError)
    -> [ReportFile]
  {
    var files: [ReportFile] = []
    for name in try entries(of: folder) where name.hasSuffix(".csv") || name.hasSuffix(".json") {
      if name.hasSuffix(".json") {
        // A run's JSON stands beside its CSV, which says the same.
        if FileManager.default.fileExists(atPath: "\(folder)/\(name.dropLast(5)).csv") { continue }
        if isAboutTheProgram("\(folder)/\(name)") { continue }
      }
      do throws(MeasurementError) { files.append(try ReportFile(at: "\(folder)/\(name)")) } catch {
        leftOut.append("\(error)")
      }
    }
    return files
  }

  /// Whether a file is about verdicts or about the program, and not about kernels: pages of docs show it.
  static func isAboutTheProgram(_ path: String) -> Bool {
    guard let text = try? TextFile.text(at: path) else { return false }
    return [.calibration, .figures].contains(FileKind(text: text))
  }

  private static func entries(of folder: String) throws(MeasurementError) -> [String] {
    do {
      return try FileManager.default.contentsOfDirectory(atPath: folder).filter { !$0.hasPrefix(".") }
        .sorted()
    } catch {
      throw .file(path: folder, reason: "is no folder that can be read")
    }
  }
}

extension ReportFile {
  /// The file's name without folders.
  var name: String { URL(filePath: path).lastPathComponent }

  /// The day of the run, such as `2026-11-21`; `undated` where nothing says it.
  var day: String {
    date?.formatted(.iso8601.year().month().day()) ?? "undated"
  }
}

extension [ReportFile] {
  /// The files with no other records than those of cases that were timed on several days, and the copies
  /// beside them: a page of all would hold each record a second time.
  fileprivate var repeated: [ReportFile] {
    var days: [String: Set<String>] = [:]
    for file in self { for name in file.measured { days[name, default: []].insert(file.day) } }
    let names = Set(days.filter { $0.value.count > 1 }.keys)
    let workloads = Set(names.compactMap { (try? Case(name: $0))?.workload })
    return compactMap { file in
      file.keeping { record in
        record.isCopy
          ? record.item.map { workloads.contains($0.workload) } ?? false : names.contains(record.name)
      }
    }
  }
}
