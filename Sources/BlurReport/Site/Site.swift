import BlurRecords
import BlurText
import Foundation

/// Web pages for all results: an overview of the fastest kernels, and a report for each machine and date.
///
/// The results are stored in one folder for each machine. The names of all files of a run begin with the date
/// of the run.
public struct Site {
  /// The pages of the site. The first page is the overview, which links to all other pages. The other pages
  /// are a report for each machine and date, and a history for each machine. A history contains the cases
  /// that were timed on several days. Each path is relative to the site's folder.
  public let pages: [(path: String, html: String)]
  /// The files that are not shown in any report, each with the reason.
  public let leftOut: [String]

  /// Creates all pages of the site from the stored results.
  ///
  /// - Parameters:
  ///   - folder: The folder with the results of all machines.
  ///   - source: The web address of that folder. The pages link to the files at this address. Pass nil for no
  ///     links.
  ///   - web: The address of the page on which visitors can try the kernels in their browser, relative to the
  ///     overview, or nil for no link.
  ///   - progress: A function that is called whenever a new part of the work begins, with a short text that
  ///     describes this part.
  /// - Throws: ``BlurRecords/MeasurementError`` if the folder cannot be read or holds no results, and
  ///   `EncodingError`.
  public init(
    of folder: String, source: String?, web: String? = nil, progress: (String) -> Void = { _ in }
  ) throws {
    var pages: [(path: String, html: String)] = []
    var machines: [SiteData.MachineResults] = []
    var leftOut: [String] = []
    for machine in try Self.entries(of: folder) where TextFile.isFolder("\(folder)/\(machine)") {
      let files = try Self.files(of: "\(folder)/\(machine)", &leftOut)
      guard !files.isEmpty else { continue }
      var dates: [SiteData.Day] = []
      for (day, files) in Dictionary(grouping: files, by: \.day).sorted(by: { $0.key > $1.key }) {
        progress("\(machine), \(day)")
        let report = Report(files, home: "../index.html")
        let path = "\(machine)/\(day).html"
        pages.append((path, try report.html()))
        let links = files.map { file in
          SiteData.FileLink(
            name: file.name, link: source.map { "\($0)/\(machine)/\(file.name)" },
            command: file.provenance["command"])
        }
        dates.append(SiteData.Day(day: day, page: path, sentences: report.sentences, files: links))
      }
      var history: SiteData.HistoryLink?
      let repeated = files.repeated
      if !repeated.isEmpty {
        let path = "\(machine)/history.html"
        let report = Report(repeated, showsKernels: false, home: "../index.html")
        pages.append((path, try report.html()))
        history = SiteData.HistoryLink(page: path, sentence: report.historySentences.joined(separator: " "))
      }
      machines.append(SiteData.MachineResults(machine, files, dates, history))
    }
    guard !machines.isEmpty else {
      throw MeasurementError.file(
        path: folder, reason: "has no folder with record files; RESULTS must have one for each machine")
    }
    let overview = try Report.page([PackageResources.site_js], of: SiteData(machines, web: web))
    self.pages = [(path: "index.html", html: overview)] + pages
    self.leftOut = leftOut
  }

  static func files(of folder: String, _ leftOut: inout [String]) throws(MeasurementError)
    -> [ReportFile]
  {
    var files: [ReportFile] = []
    for name in try entries(of: folder) where name.hasSuffix(".csv") || name.hasSuffix(".json") {
      if name.hasSuffix(".json") {
        // A run writes its records as CSV and as JSON with the same contents, so only the CSV file is read.
        if FileManager.default.fileExists(atPath: "\(folder)/\(name.dropLast(5)).csv") { continue }
        if isAboutTheProgram("\(folder)/\(name)") { continue }
      }
      do throws(MeasurementError) { files.append(try ReportFile(at: "\(folder)/\(name)")) } catch {
        leftOut.append("\(error)")
      }
    }
    return files
  }

  /// Returns whether a file describes the program itself and not the kernels. Such a file holds either a
  /// calibration from `lab calibrate` or figures for the documentation. The documentation shows these files,
  /// so the site does not.
  static func isAboutTheProgram(_ path: String) -> Bool {
    guard let text = try? TextFile.text(at: path) else { return false }
    return [.calibration, .figures].contains(FileKind(text: text))
  }

  private static func entries(of folder: String) throws(MeasurementError) -> [String] {
    do {
      return try FileManager.default.contentsOfDirectory(atPath: folder).filter { !$0.hasPrefix(".") }
        .sorted()
    } catch {
      throw .file(path: folder, reason: "is not a folder, or cannot be read")
    }
  }
}

extension ReportFile {
  /// The file's name without folders.
  var name: String { URL(filePath: path).lastPathComponent }

  /// The day of the run, such as `2026-11-21`, or `undated` if it is not known.
  var day: String {
    date?.formatted(.iso8601.year().month().day()) ?? "undated"
  }
}

extension [ReportFile] {
  /// The files, reduced to the records that the history page needs. These are the records of cases that were
  /// timed on several days, and the memcpy times for the same workloads.
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
