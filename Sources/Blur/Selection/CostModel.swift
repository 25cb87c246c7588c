/// What kernels cost where nobody has measured: times of one machine, beside which others differ less in the
/// order of kernels than in their speed.
package enum CostModel {
  /// The table, read from ``CostTable`` at first use.
  static let table = TimeTable(workloads)

  /// The predicted wall time in nanoseconds of each kernel and instruction set of the table.
  package static func times(
    for layout: ImageLayout, sigma: Double, edge: EdgeMode, threads: Int
  ) -> [(kernel: String, isa: InstructionSet, time: Double)] {
    let query = TimeTable.Query(
      format: layout.format, pixels: Double(layout.pixelCount), sigma: sigma, edge: edge, threads: threads)
    var times: [(kernel: String, isa: InstructionSet, time: Double)] = []
    _ = table.forEach(query, isEndless: true) { times.append(($0.kernel, $0.isa, $1)) }
    return times
  }

  /// The columns of ``CostTable`` as workloads.
  static var workloads: [Wisdom.Workload] {
    var rows: [PixelFormat: [Row]] = [:]
    for row in CostTable.text.split(separator: "\n").compactMap(Row.init) {
      rows[row.format, default: []].append(row)
    }
    let columns = CostTable.sizes.flatMap { size in CostTable.sigmas.map { (size, $0) } }
    return rows.flatMap { format, rows in
      columns.enumerated().map { column, place in
        let ((width, height), sigma) = place
        let times = rows.compactMap { row in
          row.costs[column].map {
            Wisdom.Time(kernel: row.kernel, isa: row.isa, ns: $0 / 1000 * Double(width * height))
          }
        }
        return Wisdom.Workload(format: format, width: width, height: height, sigma: sigma, times: times)
      }
    }
  }

  /// A line of the table: format, kernel and instruction set, then picoseconds for a pixel, by column.
  private struct Row {
    let format: PixelFormat, kernel: String, isa: String
    let costs: [Double?]

    init?(_ line: Substring) {
      let halves = line.split(separator: ":")
      guard halves.count == 2 else { return nil }
      let names = halves[0].split(separator: " ").map(String.init)
      let costs = halves[1].split(separator: " ").map { Double($0) }
      guard names.count == 3, let format = PixelFormat(rawValue: names[0]),
        costs.count == CostTable.sizes.count * CostTable.sigmas.count
      else { return nil }
      (self.format, kernel, isa, self.costs) = (format, names[1], names[2], costs)
    }
  }
}
