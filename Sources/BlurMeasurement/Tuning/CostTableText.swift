import Blur

/// The source of the library's built-in cost model, made of wisdom.
public struct CostTableText {
  private let wisdom: Wisdom

  /// Takes times of the suite `cost-table`, with all kernels.
  public init(_ wisdom: Wisdom) { self.wisdom = wisdom }

  /// Kernels that come within this factor of the quickest somewhere stand in the table.
  private static let near = 1.15

  private struct Runner: Hashable {
    let kernel: String, isa: String
  }

  /// The text of `CostTable.swift`.
  ///
  /// - Throws: ``MeasurementError/failed(_:)`` when the workloads are no whole grid.
  public func text() throws(MeasurementError) -> String {
    let sizes = unique(wisdom.workloads.map { "(\($0.width), \($0.height))" })
    let sigmas = unique(wisdom.workloads.map { $0.sigma.short })
    var lines: [String] = []
    for format in PixelFormat.allCases {
      let workloads = wisdom.workloads.filter { $0.format == format.rawValue }
      guard workloads.count == sizes.count * sigmas.count else {
        throw .failed(
          "\(format): \(workloads.count) workloads are no grid of \(sizes.count) sizes and \(sigmas.count) sigmas"
        )
      }
      for runner in kept(workloads) {
        let costs = workloads.map { workload in cost(runner, workload) }
        lines.append(
          "    \(format) \(runner.kernel) \(runner.isa): \(costs.joined(separator: " "))")
      }
    }
    return """
      // Made by `blurbench tune --all --suite cost-table --cost-table Sources/Blur/Selection/CostTable.swift` on
      // \(wisdom.machine.model), \(wisdom.machine.isa), \(wisdom.date.prefix(10)).
      // swift-format-ignore-file

      /// What kernels cost on one machine: those that come near the quickest somewhere, for some bound and some
      /// instruction set.
      enum CostTable {
        /// The columns: for each size all sigmas.
        static let sizes = [\(sizes.joined(separator: ", "))]
        static let sigmas = [\(sigmas.joined(separator: ", "))]

        /// A kernel of a format, and picoseconds for a pixel, by column.
        static let text = \"\"\"
      \(lines.joined(separator: "\n"))
          \"\"\"
      }

      """
  }

  /// The kernels worth a line: near the quickest that keep some bound with some instruction set at hand.
  private func kept(_ workloads: [Wisdom.Workload]) -> [Runner] {
    var kept: Set<Runner> = []
    for workload in workloads {
      for limit in InstructionSet.allCases {
        let within = workload.times.filter { (InstructionSet(rawValue: $0.isa) ?? .avx512) <= limit }
        for bound in Set(within.compactMap(\.within)) {
          let eligible = within.filter { $0.within! <= bound }
          let best = eligible.map(\.ns).min() ?? 0
          kept.formUnion(
            eligible.filter { $0.ns <= Self.near * best }.map { Runner(kernel: $0.kernel, isa: $0.isa) })
        }
      }
    }
    return Registry.kernels.flatMap { kernel in
      InstructionSet.allCases.map { Runner(kernel: kernel.name, isa: $0.name) }
    }.filter(kept.contains)
  }

  /// Picoseconds for a pixel with three digits, or `-`.
  private func cost(_ runner: Runner, _ workload: Wisdom.Workload) -> String {
    let time = workload.times.first { $0.kernel == runner.kernel && $0.isa == runner.isa }
    guard let time else { return "-" }
    let cost = time.ns * 1000 / Double(workload.width * workload.height)
    var unit = 1.0
    while cost / unit >= 1000 { unit *= 10 }
    return ((cost / unit).rounded() * unit).short
  }

  private func unique(_ values: [String]) -> [String] {
    var seen: Set<String> = []
    return values.filter { seen.insert($0).inserted }
  }
}
