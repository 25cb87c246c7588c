import BlurRecords
import BlurText

/// Short labels for cases, which leave out everything that all cases have in common.
struct CaseLabels {
  /// The properties that all cases have in common, such as `1 thread, gray8, 512x512`, or nil if there are
  /// none.
  let common: String?
  private let labels: [String: String]

  init(_ names: [String]) {
    let fields = Dictionary(names.map { ($0, (try? Case(name: $0))?.fields) }) { $1 }
    let all = fields.values.compactMap(\.self)
    // A label leaves out the fields that all cases have in common, such as the kernel and the pixel format.
    // If any of the names is not a valid case name, its fields are unknown, so nothing is left out of any
    // label. If there is only one case, its label keeps the kernel, because it would otherwise be empty.
    let first = (all.count == fields.count ? all.first ?? [] : []).dropFirst(all.count == 1 ? 1 : 0)
    let shared = first.filter { field in all.allSatisfy { $0.contains { $0 == field } } }
    common = shared.isEmpty ? nil : shared.map(Self.words).joined(separator: ", ")
    labels = Dictionary(
      uniqueKeysWithValues: fields.map { name, own in
        let rest = own?.filter { field in !shared.contains { $0.key == field.key } }
        return (name, rest?.map(Self.words).joined(separator: " ") ?? name.plain)
      })
  }

  subscript(name: String) -> String { labels[name] ?? name.plain }

  /// Returns one property of a case in words. Numbers get a noun, as in `4 threads` or `sigma 8`.
  private static func words(_ field: (key: String, value: String)) -> String {
    switch field.key {
    case "threads": field.value == "1" ? "1 thread" : "\(field.value) threads"
    case "stride", "sigma": "\(field.key) \(field.value)"
    default: field.value.plain
    }
  }
}

extension Comparison {
  /// Returns the table of cases, without the columns that would be empty.
  func table(_ labels: CaseLabels) -> Table<CaseComparison> {
    Table<CaseComparison>([
      Column("verdict", tone: { tone(of: $0) }, { word(for: $0) }),
      Column("case") { labels[$0.name].cut(to: 200) },
      Column("change", .right) { $0.ratio.map(NumberText.change) },
      Column("base → head", .right) { NumberText.times($0.base.time, $0.head.time) },
      Column("max error", .right) { $0.changedError },
      Column("instructions", .right) { $0.instructionRatio.map(NumberText.change) },
      Column("threshold", .right) { $0.threshold.map(NumberText.share) },
      Column("smallest found", .right) { item in
        item.smallestDetectable.map { $0.isFinite ? NumberText.share($0) : "none" }
      },
      Column("base vs base, %", .right) { $0.control.map(NumberText.interval) },
    ]).withoutEmptyColumns(cases)
  }

  /// A sentence for the legend of the table. It explains why the value in the "change" column can differ from
  /// the ratio of the two times in the same row.
  private static let pairs =
    "base → head: the median times. The change is the median ratio of the pairs, which noise affects less."

  /// Lines that explain the columns whose titles do not explain themselves.
  var legend: [String] {
    let meanings = [
      "change": "change: the change of the time from base to head, with its 95 % confidence interval.",
      "base → head": method == .records ? nil : Self.pairs,
      "max error": "max error: the largest error on the verified picture, in levels.",
      "smallest found": "smallest found: the smallest slowdown that 95 of 100 such comparisons would find.",
      "threshold": "threshold: the threshold of this case, raised because its base varies more than usual.",
      "base vs base, %": "base vs base: the change between two measurements of the base, which is noise.",
    ]
    return table(CaseLabels([])).columns.compactMap { meanings[$0.title] ?? nil }
  }
}

extension CaseComparison {
  /// The errors of the base and the head as text. The result is nil if the errors are unknown, or if they are
  /// equal after rounding to the digits that records store.
  fileprivate var changedError: String? {
    guard let before = base.maxErrorLevels, let after = head.maxErrorLevels,
      before.rounded(toDigits: Record.digits) != after.rounded(toDigits: Record.digits)
    else { return nil }
    return NumberText.levels(before, after)
  }
}
