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
      format: layout.format, width: layout.width, height: layout.height, sigma: sigma, edge: edge,
      threads: threads)
    var times: [(kernel: String, isa: InstructionSet, time: Double)] = []
    _ = table.forEach(query, isEndless: true) { times.append(($0.kernel, $0.isa, $1)) }
    return times
  }

  /// The columns of ``CostTable`` as workloads.
  static var workloads: [Wisdom.Workload] {
    let rows = CostTable.text.split(separator: "\n").compactMap(Row.init)
    return Dictionary(grouping: rows, by: \.picture).flatMap { picture, rows in
      CostTable.sigmas.enumerated().map { column, sigma in
        let pixels = Double(picture.width * picture.height)
        let times = rows.map {
          Wisdom.Time(kernel: $0.kernel, isa: $0.isa, ns: $0.costs[column] / 1000 * pixels)
        }
        return Wisdom.Workload(
          format: picture.format, width: picture.width, height: picture.height, sigma: sigma,
          edge: picture.edge,
          times: times)
      }
    }
  }

  /// A line of the table: format, size, edge mode, kernel and instruction set, then picoseconds for a pixel, by sigma.
  private struct Row {
    struct Picture: Hashable {
      let format: PixelFormat, width: Int, height: Int, edge: String
    }
    let picture: Picture
    let kernel: String, isa: String
    let costs: [Double]

    /// Nil for what is no such line; a test reads them all.
    init?(_ line: Substring) {
      let halves = line.split(separator: ":")
      guard halves.count == 2 else { return nil }
      let names = halves[0].split(separator: " ").map(String.init)
      costs = halves[1].split(separator: " ").compactMap { Double($0) }
      guard names.count == 5, costs.count == CostTable.sigmas.count,
        let format = PixelFormat(rawValue: names[0])
      else { return nil }
      let sides = names[1].split(separator: "x").compactMap { Int($0) }
      guard sides.count == 2 else { return nil }
      picture = Picture(format: format, width: sides[0], height: sides[1], edge: names[2])
      (kernel, isa) = (names[3], names[4])
    }
  }
}
