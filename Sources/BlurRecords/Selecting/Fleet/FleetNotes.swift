import BlurText

/// What a comparison of machines leaves out or cannot tell, in sentences.
enum FleetNotes {
  /// - Parameters:
  ///   - alone: how many workloads one machine alone has.
  ///   - unknown: how many records are of no known machine.
  static func all(_ choices: [FleetChoice], _ machines: [FleetMachine], alone: Int, unknown: Int) -> [String]
  {
    let open = choices.count { $0.chosen == nil }
    let unbounded = open > 0 ? "no kernel keeps the bound on all machines in \(open.of("workload"))" : nil
    return [unbounded].compactMap(\.self) + absentees(in: choices)
      + [revisions(of: machines)].compactMap(\.self)
      + [
        alone > 0 ? "left out: \(alone.of("workload")) of one machine alone" : nil,
        unknown > 0 ? "left out: \(unknown) records without a machine key" : nil,
      ].compactMap(\.self)
  }

  /// The kernels that win somewhere and are no candidates, for they might be the better choice.
  private static func absentees(in choices: [FleetChoice]) -> [String] {
    let absent = choices.flatMap { choice in
      let winners = Set(choice.places.compactMap(\.fastest?.kernel))
      return choice.excluded.filter { winners.contains($0.kernel) }
    }
    return absent.inGroups { [$0.kernel, $0.reason] }.map { key, places in
      "\(key[0]) is the fastest on a machine in \(places.count.of("workload")), "
        + "but no choice for all: \(key[1])"
    }
  }

  /// Kernels change from revision to revision: then machines do not differ in hardware alone.
  private static func revisions(of machines: [FleetMachine]) -> String? {
    let known = machines.filter { !$0.revisions.isEmpty }
    guard Set(known.map { Set($0.revisions) }).count > 1 else { return nil }
    let list = known.map { "\($0.name): \($0.revisions.listed)" }.joined(separator: "; ")
    return "the machines ran different revisions, in which kernels may differ: \(list)"
  }
}
