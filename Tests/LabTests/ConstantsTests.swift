import Blur
import Foundation
import TestSupport
import Testing

@testable import lab

@Suite("Constants of the time estimate")
struct ConstantsTests {
  @Test("The fit finds the constants from their times, even if some times are disturbed")
  func constants() {
    let wanted = [0.15, 0, 2, 30, 120]
    let rows = (1...60).map { i in
      let cost = Cost(
        vectors: Double(i * i * 40), partials: Double(i % 7) * 10, scalars: Double(i * 97 % 1000),
        rows: Double(i * 31 % 200))
      let row = ConstantsFit.Row(cost, time: 1)
      return ConstantsFit.Row(cost, time: row.predicted(wanted) * (i % 10 == 0 ? 3 : 1))
    }
    for (found, constant) in zip(ConstantsFit.fitted(rows), wanted) {
      #expect(abs(found - constant) < 0.02 * max(1, constant), "\(found), not \(constant)")
    }
  }

  @Test("The generated source of the constants names each instruction set")
  func source() {
    let constants = CostConstants(vector: 0.1234567, partial: 2, scalar: 3, row: 4, start: 5)
    let text = ConstantsFit.source(
      [(set: .avx2, constants: constants, error: 0.125)],
      threads: ThreadCosts(waking: 43_210, handing: 1_280), machine: "A CPU", date: "2026-01-02T03:04:05Z")
    #expect(
      text.contains(
        "\n      avx2: CostConstants(vector: 0.123, partial: 2, scalar: 3, row: 4, start: 5),\n"))
    #expect(text.contains("// A CPU, 2026-01-02. Median error of predictions: avx2 13 %."))
    #expect(text.hasSuffix("\n      waking: 43200, handing: 1300),"))
  }

  @Test("The source file contains each machine's constants exactly as the command prints them")
  func printed() throws {
    let file = Program.package
      .appending(path: "Sources/Blur/Execution/MachineConstants.swift")
    let compiled = try String(contentsOf: file, encoding: .utf8)
    for machine in MachineConstants.measured {
      let sets = [(.baseline, machine.baseline), (.avx2, machine.avx2), (.avx512, machine.avx512)]
        .compactMap { (set: InstructionSet, found: CostConstants?) in
          found.map { (set: set, constants: $0, error: 0.0) }
        }
      let text = ConstantsFit.source(
        sets, threads: ThreadCosts(waking: machine.waking, handing: machine.handing), machine: "", date: "")
      // The first line is left out, because it says on which machine and when the constants were measured.
      let code = text.split(separator: "\n").dropFirst().joined(separator: "\n")
      #expect(compiled.contains(code), "\(code)")
    }
  }

  @Test("Sharing a blur with another thread has a measurable cost")
  func threadCosts() throws {
    let costs = try ThreadCosts.measured()
    #expect(costs.waking > 0 && costs.handing > 0, "\(costs)")
  }
}
