import ArgumentParser

@main
struct Blurbench: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "blurbench",
    abstract: "Blur kernels: verified, timed, compared and chosen from.",
    subcommands: [RunCommand.self])
}
