import BlurText

extension Comparison {
  /// A comparison of the records of two runs in one line. For wrong results, slower cases and faster cases,
  /// the line contains the number of cases and one example. It ends with the number of cases without a clear
  /// change.
  public var line: String {
    let changed = cases.filter { $0.status.isChange && $0.openFaults.isEmpty && $0.status != .accepted }
    let labels = CaseLabels(cases.map(\.name))
    let slower = changed.filter { $0.ratio.map { $0.estimate > 1 } ?? false }
    let faster = changed.filter { $0.ratio.map { $0.estimate < 1 } ?? false }
    let wrong = cases.filter { !$0.openFaults.isEmpty }
    let parts = [
      wrong.isEmpty
        ? nil
        : "\(wrong.count.of("case")) with wrong or changed results "
          + "(\(labels[wrong[0].name]): \(wrong[0].remarks.first ?? ""))",
      Self.part(slower, "slower", labels, by: >), Self.part(faster, "faster", labels, by: <),
    ].compactMap(\.self)
    guard !parts.isEmpty else { return "no clear change in \(cases.count.of("case"))" }
    let alike = cases.count - slower.count - faster.count - wrong.count
    return parts.joined(separator: "; ") + "; no clear change in the other \(alike)"
  }

  private static func part(
    _ cases: [CaseComparison], _ word: String, _ labels: CaseLabels, by order: (Double, Double) -> Bool
  ) -> String? {
    let worst = cases.min { order($0.ratio?.estimate ?? 1, $1.ratio?.estimate ?? 1) }
    return worst.map {
      "\(cases.count.of("case")) may be \(word) "
        + "(\(labels[$0.name]) takes \(($0.ratio?.estimate ?? 1).fixed(2))x as long)"
    }
  }
}
