import BlurText
import Foundation

extension Selection {
  /// Returns the selection as a few lines of text.
  ///
  /// - Parameter explains: Whether to list every other kernel with the reason why it was not chosen.
  public func text(explains: Bool) -> String {
    var lines = [
      "\(workload), \(threads.of("thread")), error at most \(bound.threeDigits) level"
        + (bound == 1 ? "" : "s")
    ]
    lines.append("  " + (chosen.map(answer) ?? "no kernel is accurate enough\(nearest)"))
    if explains {
      let table = Table<Entry>([
        Column { $0.kernel }, Column { $0.isa }, Column("", .right) { Self.milliseconds($0.time) },
        Column { $0.reason },
      ])
      lines.append(table.text(others, indent: 4))
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// A phrase about the kernel with the smallest error, for the message that no kernel is accurate enough.
  /// That message can appear for scenes that increase the saturation of colours, for example, because this
  /// also increases the errors of the blur.
  private var nearest: String {
    let least = { (levels: (Entry) -> Double?) in
      others.compactMap { entry in levels(entry).map { (entry.kernel, levels: $0) } }
        .min { $0.levels < $1.levels }
    }
    if let (kernel, levels) = least(\.maxErrorLevels) {
      return "; the closest is \(kernel), with a measured error of \(levels.threeDigits) levels"
    }
    guard let promise = least(\.promisedLevels)?.levels else { return "" }
    let kernels = others.filter { $0.promisedLevels == promise }.map(\.kernel)
    let more = kernels.count > 4 ? " and \(kernels.count - 4) more" : ""
    let levels = "\(promise.threeDigits) \(promise == 1 ? "level" : "levels")"
    return "; the smallest promised error is \(levels), promised by "
      + kernels.prefix(4).joined(separator: ", ") + more
  }

  private func answer(_ entry: Entry) -> String {
    let error = entry.maxErrorLevels.map { ", measured error \($0.threeDigits)" } ?? ""
    let promised =
      entry.promisedLevels.map { levels in
        (isOfScene ? ", promised for the blur alone " : ", promised ") + levels.threeDigits
      } ?? ""
    let certified = entry.certifiedLevels.map { ", certified \($0.threeDigits)" } ?? ""
    let ahead =
      margin.map { "; \(runnerUp ?? "") takes \($0.fixed(2)) times as long" }
      ?? "; the other kernels were not measured (--explain measures all)"
    return
      "\(entry.kernel) (\(entry.isa))  \(Self.milliseconds(entry.time))"
      + "\(error)\(promised)\(certified)\(ahead)"
  }

  private static func milliseconds(_ time: Double?) -> String {
    time.map { "\(($0 / 1e6).threeDigits) ms" } ?? ""
  }
}

extension [Selection] {
  /// Returns a JSON array with one object for each workload.
  public func json() throws -> String {
    try JSONDocument.text(of: self)
  }
}
