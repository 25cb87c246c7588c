import ArgumentParser

/// A program with tools for people who work on the kernels, on the methods that choose among them, or on the
/// methods that measure them. Users of the library need none of them.
@main
struct Lab: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "lab",
    abstract: "Tools for people who work on the kernels and on how they are measured and chosen.",
    subcommands: [RegretCommand.self, ConstantsCommand.self, CalibrateCommand.self, PaperCommand.self])
}
