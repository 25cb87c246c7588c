import BlurText

extension FleetSelection {
  /// A sentence, without its full stop, about the time that is lost if all machines use the same kernel.
  public var sentence: String {
    guard !choices.isEmpty else { return "No workload has records of two machines" }
    let chosen = choices.compactMap { choice in choice.chosen.map { (choice: choice, candidate: $0) } }
    guard let (choice, worst) = chosen.max(by: { $0.candidate.worst < $1.candidate.worst }),
      let mean = Statistics.geometricMean(chosen.flatMap(\.candidate.slowdowns))
    else {
      return "No kernel is accurate enough on all machines, in any of \(choices.count.of("workload"))"
    }
    let costly = chosen.count(where: \.choice.isCostly)
    let lost = Self.percent(mean)
    guard costly > 0 else {
      return "Using one kernel on all machines costs \(lost) more time on average, and at most "
        + "\(Self.percent(worst.worst)), in \(chosen.count.of("workload"))"
    }
    return
      "Using one kernel on all machines costs \(lost) more time on average, more than "
      + "\(Self.percent(FleetChoice.limit)) in \(costly) of \(chosen.count.of("workload")), and "
      + "at most \(Self.percent(worst.worst)) "
      + "(\(choice.title), on \(name(choice.places[worst.slowest].machine)))"
  }

  /// Returns the chosen kernels as text.
  ///
  /// - Parameter explains: Whether to list every other kernel as well, with its additional time on each
  ///   machine or with the reason why it cannot be chosen.
  public func text(explains: Bool) -> String {
    let blocks = choices.map { block($0, explains: explains) }
    let remarks = notes.map { "note: \($0)" }
    return (blocks + [([sentence + "."] + overall + remarks).joined(separator: "\n")]).joined(
      separator: "\n\n") + "\n"
  }

  /// Returns the selection as one JSON object.
  public func json() throws -> String { try JSONDocument.text(of: self) }

  /// Returns the name of the machine with the given key, or the key itself if the machine is unknown.
  public func name(_ key: String) -> String { machines.first { $0.key == key }?.name ?? key }

  /// Returns the additional time as a percentage. For example, a slowdown of 1.5 is `50 %`.
  static func percent(_ slowdown: Double) -> String { "\((100 * (slowdown - 1)).threeDigits) %" }

  private func block(_ choice: FleetChoice, explains: Bool) -> String {
    typealias Row = (title: String, cells: [String])
    let fastest = choice.places.map { $0.fastest.map(Self.words) ?? "no kernel is accurate enough" }
    var rows: [Row] = [("fastest", fastest)]
    let shown = (choice.chosen.map { [$0] } ?? []) + (explains ? choice.others : [])
    for (index, candidate) in shown.enumerated() {
      let title = index == 0 ? "for all: \(candidate.kernel)" : candidate.kernel
      let cells = zip(candidate.times, candidate.slowdowns).map { time, slowdown in
        "\((time / 1e6).threeDigits) ms, +\(Self.percent(slowdown))"
          + (slowdown > FleetChoice.limit ? " *" : "")
      }
      rows.append((title, cells))
    }
    let levels = choice.bound.threeDigits + " level" + (choice.bound == 1 ? "" : "s")
    var lines = ["\(choice.title), error at most \(levels)"]
    let machines = choice.places.enumerated().map { index, place in
      Column<Row>(name(place.machine)) { $0.cells[index] }
    }
    lines.append(Table([Column<Row> { $0.title }] + machines).text(rows, indent: 2))
    if choice.chosen == nil { lines.append("  no kernel is accurate enough on all machines") }
    if explains && !choice.excluded.isEmpty {
      let rows: [Row] = choice.excluded.map { ($0.kernel, [$0.reason]) }
      lines.append(Table<Row>([Column { $0.title }, Column { $0.cells[0] }]).text(rows, indent: 2))
    }
    return lines.joined(separator: "\n")
  }

  private static func words(_ entry: Selection.Entry) -> String {
    "\(entry.kernel) (\(entry.isa)) \(((entry.time ?? .nan) / 1e6).threeDigits) ms"
  }

  /// The last part of the text, below the tables of the individual workloads.
  ///
  /// If an asterisk marks a large slowdown in these tables, the first line explains the asterisk. If there
  /// are several workloads, a table follows. It lists the slowdowns that each kernel would cause if it were
  /// used for all workloads.
  private var overall: [String] {
    guard !choices.isEmpty else { return [] }
    let marks =
      choices.contains(where: \.isCostly)
      ? ["* takes over \(Self.percent(FleetChoice.limit)) more time than the fastest kernel on that machine"]
      : []
    guard choices.count > 1 else { return marks }
    let table = Table<Standing>([
      Column("kernel") { $0.kernel }, Column("largest slowdown", .right) { "+\(Self.percent($0.worst))" },
      Column("mean slowdown", .right) { "+\(Self.percent($0.geometricMean))" },
      Column("workloads", .right) { [count = choices.count] in "\($0.workloads) of \(count)" },
    ])
    let answer =
      choicesForAll.map { all in
        all.leastWorst.kernel == all.leastMean.kernel
          ? "\(all.leastWorst.kernel) has both the lowest maximum and the lowest mean of the slowdowns"
          : "\(all.leastWorst.kernel) has the lowest maximum of the slowdowns, and "
            + "\(all.leastMean.kernel) the lowest mean"
      } ?? "no kernel is accurate enough in all of the workloads"
    return marks + [
      "", "One kernel for all workloads: \(answer).",
      table.text(standings, indent: 2),
    ]
  }
}

extension FleetChoice {
  /// The workload, followed by its number of threads.
  public var title: String { "\(workload), \(threads.of("thread"))" }
}

extension FleetChoice.Candidate {
  /// The index of the machine with the largest slowdown.
  var slowest: Int { slowdowns.firstIndex(of: worst) ?? 0 }
}
