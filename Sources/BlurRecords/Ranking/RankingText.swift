import BlurText
import Foundation

extension Ranking {
  /// The ranking for a person: a table for each workload, then the means with their caveats.
  public var text: String {
    let tables = blocks.map { block in
      let threads = block.threads == 1 ? "1 thread" : "\(block.threads) threads"
      return "\(block.workload), \(threads)\n" + Self.table(block)
    }
    guard !tables.isEmpty else { return "nothing measured\n" }
    return (tables + [summary]).joined(separator: "\n\n") + "\n"
  }

  /// One line for each kernel and workload.
  public var csv: String {
    let header =
      "workload,threads,quality,kernel,isa,median_ns,ratio,memcpy_ratio,max_error_levels,psnr_db,pareto"
    let lines = blocks.flatMap { block in
      block.entries.map { entry in
        [
          block.workload, "\(block.threads)", entry.quality.rawValue, entry.kernel, entry.isa,
          "\(entry.median)", "\(entry.ratio)", entry.memcpyRatio.map { "\($0)" } ?? "",
          "\(entry.maxErrorLevels)", entry.psnr.map { "\($0)" } ?? "", entry.isPareto ? "true" : "",
        ].map(CSVField.quoted).joined(separator: ",")
      }
    }
    return ([header] + lines).joined(separator: "\n") + "\n"
  }

  /// The ranking as one JSON object.
  public func json() throws -> String {
    try JSONDocument.text(of: self)
  }

  private static let right = TextTable.Alignment.right

  private static func table(_ block: Block) -> String {
    let head = ["  ", "kernel", "isa", "x fastest", "x memcpy", "max error", "PSNR"]
    let cells = block.entries.map { entry in
      [
        entry.isPareto ? " *" : "", entry.kernel, entry.isa, entry.ratio.fixed(2),
        entry.memcpyRatio?.fixed(1) ?? "", entry.maxErrorLevels.fixed(2), entry.psnr?.fixed(1) ?? "",
      ]
    }
    let alignments = [.left, .left, .left, right, right, right, right]
    let lines = TextTable.aligned([head] + cells, alignments).split(separator: "\n").map(String.init)
    var text = [lines[0]]
    for (index, entry) in block.entries.enumerated() {
      let isFirst = index == 0 || block.entries[index - 1].quality != entry.quality
      text += (isFirst ? [entry.quality.rawValue] : []) + [lines[index + 1]]
    }
    return text.joined(separator: "\n")
  }

  private var summary: String {
    let head = ["threads", "quality", "kernel", "x fastest", "workloads"]
    let lines = means.map {
      ["\($0.threads)", $0.quality.rawValue, $0.kernel, $0.ratio.fixed(2), "\($0.count) of \($0.all)"]
    }
    return """
      Geometric mean of the ratio to the fastest of the group, over the workloads where a kernel is in it
      \(TextTable.aligned([head] + lines, [.left, .left, .left, Self.right, Self.right]))

      * no other kernel is better in both time and error.
      A mean hides where a kernel is slow, and those of different numbers of workloads are not comparable:
      look at the workload that you have. The groups go by the largest error on one picture.
      """
  }
}
