import Blur
import BlurRecords
import BlurText

/// The source of the library's built-in cost model, made of wisdom.
public struct CostTableText {
  private let wisdom: Wisdom

  /// Takes times of the suite `cost-table`, with all kernels.
  public init(_ wisdom: Wisdom) { self.wisdom = wisdom }

  /// Kernels that come within this factor of the quickest that keeps a level or less somewhere stand in the table.
  private static let near = 1.02

  private struct Runner: Hashable {
    let kernel: String, isa: String
  }

  /// The text of `CostTable.swift`.
  ///
  /// - Throws: ``MeasurementError/failed(_:)`` when the workloads are no whole grid.
  public func text() throws(MeasurementError) -> String {
    let sigmas = unique(wisdom.workloads.map(\.sigma))
    var lines: [String] = []
    for format in PixelFormat.allCases {
      let workloads = wisdom.workloads.filter { $0.format == format.rawValue }
      let kept = kept(workloads)
      for size in unique(workloads.map(\.picture)) {
        let row = workloads.filter { $0.picture == size }
        guard row.map(\.sigma) == sigmas else {
          throw .failed("\(format) \(size): not all of the sigmas \(sigmas.map(\.short).listed)")
        }
        lines += kept.map { runner in
          let costs = row.map { cost(runner, $0) }.joined(separator: " ")
          return "    \(format) \(size) \(runner.kernel) \(runner.isa): \(costs)"
        }
      }
    }
    return source(sigmas, lines)
  }

  private func source(_ sigmas: [Double], _ lines: [String]) -> String {
    """
    // Made by `blurbench tune --all --suite cost-table --cost-table Sources/Blur/Selection/CostTable.swift` on
    // \(wisdom.machine.model), \(wisdom.machine.isa), \(wisdom.date.prefix(10)).

    /// What kernels cost on one machine: those that come near the quickest somewhere, for some bound and some
    /// instruction set.
    enum CostTable {
      /// The columns.
      static let sigmas: [Double] = [\(sigmas.map(\.short).listed)]

      /// Picoseconds for a pixel, by sigma, of an image format, size and edge mode, a kernel and an instruction set.
      static let text = \"""
    \(lines.joined(separator: "\n"))
        \"""
    }

    """
  }

  /// The kernels worth a line: near the quickest that keep some bound with some instruction set at hand.
  private func kept(_ workloads: [Wisdom.Workload]) -> [Runner] {
    var kept: Set<Runner> = []
    for workload in workloads {
      for limit in InstructionSet.allCases {
        let within = workload.times.filter { (InstructionSet(rawValue: $0.isa) ?? .avx512) <= limit }
        for bound in Set(within.compactMap(\.within)) where bound <= 1 {
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

  /// Picoseconds for a pixel with three digits, such as `912` or `613e4`; `-` where there is no time.
  private func cost(_ runner: Runner, _ workload: Wisdom.Workload) -> String {
    let time = workload.times.first { $0.kernel == runner.kernel && $0.isa == runner.isa }
    guard let time else { return "-" }
    var cost = time.ns * 1000 / Double(workload.width * workload.height)
    var exponent = 0
    while cost >= 999.5 {
      cost /= 10
      exponent += 1
    }
    return cost.rounded().short + (exponent == 0 ? "" : "e\(exponent)")
  }

  private func unique<Value: Hashable>(_ values: [Value]) -> [Value] {
    var seen: Set<Value> = []
    return values.filter { seen.insert($0).inserted }
  }
}

extension Wisdom.Workload {
  /// Size and edge mode, as in a line of the table.
  fileprivate var picture: String { "\(width)x\(height) \(edge)" }
}
