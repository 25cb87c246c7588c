import BlurText

/// Sentences about data that a comparison of machines ignores or cannot judge.
enum FleetNotes {
  /// Returns all notes about a comparison.
  ///
  /// - Parameters:
  ///   - alone: The number of workloads that were measured on only one machine.
  ///   - unknown: The number of records that do not state their machine.
  static func all(_ choices: [FleetChoice], _ machines: [FleetMachine], alone: Int, unknown: Int) -> [String]
  {
    let open = choices.count { $0.chosen == nil }
    let unbounded = open > 0 ? "no kernel is accurate enough on all machines in \(open.of("workload"))" : nil
    return [unbounded].compactMap(\.self) + absentees(in: choices)
      + [revisions(of: machines)].compactMap(\.self)
      + [
        alone > 0 ? "left out: \(alone.of("workload")) with records of only one machine" : nil,
        unknown > 0 ? "left out: \(unknown) records without a machine key" : nil,
      ].compactMap(\.self)
  }

  /// Returns a note for each kernel that is fastest on some machine but cannot be chosen for all machines,
  /// for example because another machine did not measure it. The note tells the reader that a better choice
  /// may exist.
  private static func absentees(in choices: [FleetChoice]) -> [String] {
    let absent = choices.flatMap { choice in
      let winners = Set(choice.places.compactMap(\.fastest?.kernel))
      return choice.excluded.filter { winners.contains($0.kernel) }
    }
    return absent.inGroups { [$0.kernel, $0.reason] }.map { key, places in
      "\(key[0]) is the fastest on a machine in \(places.count.of("workload")), "
        + "but cannot be chosen for all machines: \(key[1])"
    }
  }

  /// Returns a note if the machines ran different revisions, or nil otherwise. Kernels change between
  /// revisions, so the machines would then differ in more than their hardware.
  private static func revisions(of machines: [FleetMachine]) -> String? {
    let known = machines.filter { !$0.revisions.isEmpty }
    guard Set(known.map { Set($0.revisions) }).count > 1 else { return nil }
    let list = known.map { "\($0.name): \($0.revisions.listed)" }.joined(separator: "; ")
    return "the machines ran different revisions of the program, in which kernels may differ: \(list)"
  }
}
