import Testing

@testable import lab

@Suite struct GetreuerTableTests {
  /// The errors that the paper's own program, `gaussian_bench accuracy`, prints for N = 1000 in double
  /// precision.
  static let published: [(sigma: Double, errors: [String: Double])] = [
    (
      2,
      [
        "box, K = 3": 0.22906, "extended box, K = 3": 0.040449, "SII, K = 3": 0.19772,
        "Alvarez-Mazorra, K = 4": 0.081242, "Deriche, K = 3": 0.0049571, "Deriche, K = 4": 5.844e-4,
        "Vliet-Young-Verbeek, K = 3": 0.028282, "Vliet-Young-Verbeek, K = 4": 0.011246,
        "FIR, tolerance 1e-2": 2.048e-3,
      ]
    ),
    (
      20,
      [
        "box, K = 3": 0.071468, "extended box, K = 3": 0.054039, "SII, K = 3": 0.25214,
        "Alvarez-Mazorra, K = 4": 0.056749, "Deriche, K = 3": 0.0042065, "Deriche, K = 4": 6.291e-4,
        "Vliet-Young-Verbeek, K = 3": 0.020015, "Vliet-Young-Verbeek, K = 4": 0.0062831,
        "FIR, tolerance 1e-2": 8.073e-3,
      ]
    ),
  ]

  @Test("The errors are those that the paper's own program prints")
  func theTableIsThePapers() throws {
    let table = GetreuerTable(sigmas: Self.published.map(\.sigma))
    for (row, paper) in zip(table.rows, Self.published) {
      for (name, expected) in paper.errors {
        let found = try #require(row.errors[name])
        // At the border, the paper's program starts recursions from a sum that it cuts at a tolerance. So
        // only four digits are certain.
        #expect(abs(found / expected - 1) < 1e-4, "\(name), sigma \(paper.sigma): \(found), not \(expected)")
      }
    }
  }

  @Test("Within a family of algorithms, a higher order has a smaller error")
  func moreWorkIsMoreExact() throws {
    let row = try #require(GetreuerTable(sigmas: [5]).rows.first)
    for family in ["extended box", "Deriche", "Vliet-Young-Verbeek"] {
      let orders = family == "Deriche" ? [2, 3, 4] : [3, 4, 5]
      let errors = orders.compactMap { row.errors["\(family), K = \($0)"] }
      #expect(errors.count == 3 && errors == errors.sorted(by: >), "\(family): \(errors)")
    }
  }

  @Test("The table is printed completely as text and CSV")
  func theTableIsPrintedWhole() {
    let table = GetreuerTable(sigmas: [1, 2.5])
    #expect(table.csv.split(separator: "\n").count == 1 + 2 * table.algorithms.count)
    #expect(table.csv.contains("\"Deriche, K = 4\",2.5,"))
    #expect(table.text.split(separator: "\n").count == 2 + table.algorithms.count)
  }
}
