import ArgumentParser
import BlurVerification

/// The verb `blurbench paper`, which recomputes a published table with the kernels of this library.
struct PaperCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "paper",
    abstract: "Recompute a table from a paper with the filters of this library's kernels.",
    discussion: """
      getreuer: the accuracy experiment of P. Getreuer, "A survey of Gaussian convolution algorithms", IPOL \
      2013: the largest row sum of |h̃ − h| on lines of 1000 samples, by algorithm and sigma.

      Examples:
        blurbench paper getreuer
        blurbench paper getreuer --csv
      """)

  /// The papers whose tables can be recomputed.
  enum Paper: String, ExpressibleByArgument, CaseIterable { case getreuer }

  @Argument(help: "The paper: \(Paper.allCases.map(\.rawValue).joined(separator: ", ")).") var paper: Paper
  @Flag(help: "Print one JSON object.") var json = false
  @Flag(help: "Print one CSV line for each algorithm and sigma.") var csv = false

  func validate() throws {
    if json && csv { throw ValidationError("--json and --csv cannot be combined") }
  }

  func run() throws {
    switch paper {
    case .getreuer:
      let table = GetreuerTable()
      print(json ? try table.json() : csv ? table.csv : table.text, terminator: "")
    }
  }
}
