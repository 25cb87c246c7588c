import ArgumentParser

/// The command `lab paper`, which recomputes a published table with the kernels of this library.
struct PaperCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "paper",
    abstract: "Recompute the accuracy table of a paper with the filters of this library's kernels.",
    discussion: """
      The table is from P. Getreuer, "A survey of Gaussian convolution algorithms", IPOL 2013. It has the \
      largest row sum of |h̃ − h| on lines of 1000 samples, by algorithm and sigma.
      """)

  @Flag(help: "Print one CSV line for each algorithm and sigma.") var csv = false

  func run() {
    let table = GetreuerTable()
    print(csv ? table.csv : table.text, terminator: "")
  }
}
