import Blur
import BlurRecords
import BlurText
import Foundation

/// A summary of one run, computed from the run's file of records. The sentences at the top of the report are
/// made from this summary.
struct ReportRun {
  /// The index of the file in the report, its name without folders, and the date of the run.
  let place: Int, name: String, date: Date?
  let winners: Winners
  /// The sentences about scenes, one for each kernel.
  let sentencesOnScenes: [String]
  /// A sentence about disturbed samples, or nil if at most a tenth of the samples were disturbed.
  private let disturbances: String?
  /// For each kernel of a plug-in, the text that `blurbench run` prints about the kernel at the end of a run.
  /// The array is empty for a run with `--peers`, because `run` prints no such texts in this case.
  private let ofPlugins: [String]

  /// Computes the results of a run from its file of records. Returns nil for a file of another kind.
  init?(_ file: ReportFile, place: Int) {
    guard case .records(let records, _) = file.content else { return nil }
    (self.place, name, date) = (place, file.name, file.date)
    winners = Winners(records)
    sentencesOnScenes = records.sentencesOnScenes
    disturbances = records.disturbedShare > 0.1 ? records.disturbanceNote.map { $0 + "." } : nil
    let kernels = records.filter { !$0.isCopy }.compactMap { $0.item?.kernel }.uniqued
    let plugins = kernels.filter { file.provenance["kernel \($0)"] != nil }
    ofPlugins = (file.pluginWords.contains("--peers") ? [] : plugins).map { name in
      let lines = records.summary(ofPlugins: [name]).split(separator: "\n")
      return lines.map { $0.drop { $0 == " " } }.joined(separator: " ") + "."
    }
  }

  /// Returns whether the report describes this run before another run. The run with more workloads comes
  /// first. If both runs have the same number of workloads, the later run comes first.
  func isAhead(of other: Self) -> Bool {
    let (own, others) = (winners.workloads.count, other.winners.workloads.count)
    if own != others { return own > others }
    let (date, otherDate) = (date ?? .distantPast, other.date ?? .distantPast)
    return date == otherDate ? name > other.name : date > otherDate
  }

  /// The sentences at the top of the report that describe this run. They state the kernel that is fastest on
  /// the most workloads, the workloads on which other kernels are faster, and the number of workloads on
  /// which a plug-in is faster than every kernel of this library. The array is empty if the file has no
  /// blurs.
  var sentences: [String] {
    let (first, others) = winners.verdict
    guard !winners.cells.isEmpty else { return [first].filter { !$0.isEmpty } }
    return ([first, others, lost, plugins] + ofPlugins + [disturbances ?? ""]).filter { !$0.isEmpty }
  }

  /// A sentence that lists the workloads on which the overall winner is not the fastest kernel, and the
  /// kernels that are faster there. The overall winner is the kernel that is fastest on the most workloads.
  private var lost: String {
    guard let first = winners.wins.min(by: { ($1.value, $0.key) < ($0.value, $1.key) })?.key else {
      return ""
    }
    let lost = winners.workloads.filter { workload in
      winners.cells[workload].map { !$0.kernels.contains(first) } ?? false
    }
    guard !lost.isEmpty else { return "" }
    let byWinner = lost.inGroups { winners.cells[$0]?.kernels.joined(separator: " and ") }
    let parts = byWinner.sorted { $0.elements.count > $1.elements.count }.map { kernels, workloads in
      let rows = workloads.inGroups(by: \.row).map { row, cells in
        "\(row.rowTitle) at sigma \(cells.map(\.sigma.short).listed)"
      }
      return "it is slower than \(kernels) in \(rows.joined(separator: ", "))"
    }
    return "\(first) is not fastest in \(lost.count) of \(winners.workloads.count): "
      + parts.joined(separator: "; ") + "."
  }

  /// A sentence that says in how many workloads a plug-in is faster than every kernel of this library. The
  /// text is empty if no plug-in is among the fastest kernels or the runners-up.
  private var plugins: String {
    let own = Set(Registry.all.map(\.name))
    let named = winners.cells.values.flatMap { $0.kernels + [$0.runnerUp].compactMap(\.self) }
    let alone = winners.cells.values.count { own.isDisjoint(with: $0.kernels) }
    guard !own.isSuperset(of: named) else { return "" }
    return "Plug-ins are faster than all kernels of this library in \(alone == 0 ? "none" : "\(alone)") of "
      + "\(winners.workloads.count)."
  }
}

extension [Record] {
  /// The sentences of the report that say whether blurs are fast enough to play scenes (sequences of frames)
  /// on a screen. There is one sentence for each kernel. Records of other measurements are ignored.
  fileprivate var sentencesOnScenes: [String] {
    let scenes = filter { record in
      record.isMeasured && !record.isCopy && record.item?.workload.scene != nil && record.frames.p99 != nil
    }
    return scenes.inGroups { $0.item?.kernel }.compactMap { kernel, records in
      let scenes = records.inGroups { $0.item?.workload }.compactMap(SceneSpeed.init)
      guard let slowest = scenes.max(by: { $0.late < $1.late }) else { return nil }
      let within = { (rate: Double) in scenes.count { $0.late <= 1e9 / rate } }
      let count = scenes.count.of("scene")
      return "With \(kernel), 99 of 100 frames take at most 16.7 ms (60 Hz) in \(within(60)) of \(count), "
        + "and at most 8.3 ms (120 Hz) in \(within(120)); the slowest is \(slowest.title): "
        + "\((slowest.late / 1e6).threeDigits) ms."
    }
  }
}

/// The speed of a scene on one device, where `late` is the 99th percentile of the frame times in nanoseconds.
/// If the scene was played several times, `late` is the median of the percentiles.
private struct SceneSpeed {
  let title: String, late: Double

  init?(_ workload: Workload, _ records: [Record]) {
    guard let scene = workload.scene, let late = Statistics.median(records.compactMap(\.frames.p99)) else {
      return nil
    }
    self.late = late
    title =
      "\(scene.scene) on \(scene.device)" + (workload.threads > 1 ? ", \(workload.threads) threads" : "")
  }
}
