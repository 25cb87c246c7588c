import ArgumentParser
import Blur
import BlurMeasurement
import BlurRecords
import BlurText
import CLinux
import Foundation

/// The command-line program. Each verb (subcommand) has its own file.
@main
struct Blurbench: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "blurbench",
    abstract: "Verify, time, compare and choose blur kernels.",
    discussion: """
      Exit codes: 0 success, 1 the command could not be carried out, 3 a check failed or a result was wrong, \
      4 there was nothing to measure or check, or the result is undecided, 64 wrong usage.
      """,
    version: BuildIdentity.version,
    subcommands: [
      ListCommand.self, VerifyCommand.self, CertifyCommand.self, RunCommand.self, RankCommand.self,
      MergeCommand.self, CompareCommand.self, ExportCommand.self, SelectCommand.self, TuneCommand.self,
      BlurCommand.self, SceneCommand.self, PictureCommand.self, ReportCommand.self, SiteCommand.self,
      WorkerCommand.self,
    ])

  /// The command-line arguments, without the name of the program.
  private static let arguments = Array(CommandLine.arguments.dropFirst())

  static func main() {
    // The system sends SIGXFSZ if the program writes a file beyond its size limit (`ulimit -f`). By default,
    // this signal ends the program. If the signal is ignored, the write fails with an error instead, as it
    // does on a full disk.
    signal(SIGXFSZ, SIG_IGN)
    // The user may start the program with a closed standard stream, as in `blurbench 2>&-`. The next file
    // that the program opens would then get the descriptor of this stream, and messages would be written into
    // that file. If no file is opened, Foundation would end the program at the first message. Therefore, each
    // closed stream is connected to /dev/null.
    for stream in STDIN_FILENO...STDERR_FILENO where fcntl(stream, F_GETFD) < 0 {
      _ = open("/dev/null", stream == STDIN_FILENO ? O_RDONLY : O_WRONLY)
    }
    // The version number alone cannot tell two builds apart, so `--version` also prints the identity of the
    // build. Computing that identity takes a moment, so it is done only here and not for every verb.
    if arguments == ["--version"] {
      let lines = BuildIdentity.current().lines.map { "\($0): \($1)" }
      return print((["blurbench \(BuildIdentity.version)"] + lines).joined(separator: "\n"))
    }
    if arguments.first == "help", let error = Typos.error(in: arguments) { finish(ValidationError(error)) }
    do {
      var command = try parseAsRoot()
      try command.run()
      if let outputError {
        Terminal.say("blurbench: \(outputError)")
        exit(withError: ExitCode.failure)
      }
    } catch let error as MeasurementError where error.isUsage {
      finish(ValidationError(error.description))
    } catch {
      finish(error)
    }
  }

  /// Returns the message for an error. For a Foundation error, this is the localized description, because the
  /// usual message contains only a domain and a code.
  private static func words(of error: any Error) -> String {
    switch error {
    case is DecodingError: "the input does not have the expected format"
    case is EncodingError: "a number that is not finite cannot be written as JSON"
    default: message(for: error).contains("Error Domain=") ? error.localizedDescription : message(for: error)
    }
  }

  /// The reason why standard output could not be written completely, for example because the disk is full, or
  /// nil if everything was written.
  private static var outputError: String? {
    guard !output_is_complete() else { return nil }
    return "cannot write to standard output: \(String(cString: strerror(errno)))"
  }

  /// Ends the program with the exit code for `error`. Prints one line on standard error if something went
  /// wrong. If the user asked for help, the help text is printed on standard output instead.
  private static func finish(_ error: any Error) -> Never {
    let code = exitCode(for: error)
    if let outputError { Terminal.say("blurbench: \(outputError)") }
    guard !code.isSuccess, !message(for: error).isEmpty else { exit(withError: error) }
    let isUsage = code == .validationFailure
    let message = (isUsage ? Typos.error(in: arguments) : nil) ?? self.words(of: error)
    Terminal.say("blurbench: \(message)" + (isUsage ? " (\(Typos.hint(arguments)))" : ""))
    exit(withError: code)
  }
}

extension ExitCode {
  /// The exit code if a check failed, a result was wrong, or a regression was found.
  static let checkFailed = ExitCode(3)
  /// The exit code if the result is missing or undecided, for example because every case was skipped, or
  /// because the measurements were too noisy.
  static let cannotTell = ExitCode(4)
}

/// Suggestions for misspelled verbs and options.
private enum Typos {
  /// The description of a command. It is decoded from the JSON text that `_dumpHelp()` returns.
  struct Description: Decodable {
    struct Argument: Decodable {
      struct Name: Decodable { let kind: String, name: String }
      let names: [Name]?
    }
    let arguments: [Argument]?

    var options: [String] {
      let names = (arguments ?? []).flatMap { $0.names ?? [] }
      return names.filter { $0.kind == "long" }.map { "--\($0.name)" }
    }
  }

  /// Returns an error message if the verb or an option of a command line does not exist, or nil if the verb
  /// and all options exist.
  static func error(in arguments: [String]) -> String? {
    guard var verb = arguments.first else { return nil }
    var rest = arguments.dropFirst()
    if verb == "help", let named = rest.popFirst() { verb = named }
    guard !verb.hasPrefix("-") else { return nil }
    let commands = Blurbench.configuration.subcommands
    guard let command = commands.first(where: { $0.configuration.commandName == verb }) else {
      let shown = commands.compactMap { $0.configuration.commandName }.filter { $0 != "worker" } + ["help"]
      guard !shown.contains(verb) else { return nil }
      return "blurbench has no command '\(verb)'" + suggestion(for: verb, among: shown)
    }
    guard let tool = try? JSONDecoder().decode(Tool.self, from: Data(command._dumpHelp().utf8)) else {
      return nil
    }
    let options = tool.command.options
    let given = rest.prefix { $0 != "--" }.filter { $0.hasPrefix("--") }.map { $0.prefix { $0 != "=" } }
    if options.contains("--sigma"), let hint = sigma(Array(rest)) { return hint }
    return given.first { !(options + ["--help", "--version"]).contains(String($0)) }.map {
      "\(verb) has no option \($0)" + suggestion(for: synonym(of: String($0), among: options), among: options)
    }
  }

  /// Returns a hint that shows which `--sigma` to use instead of an option such as `--radius 5` or
  /// `--ksize=11`, or nil if the arguments contain no such option.
  private static func sigma(_ arguments: [String]) -> String? {
    for (index, argument) in arguments.enumerated() where argument.hasPrefix("--") {
      let parts = argument.split(separator: "=", maxSplits: 1).map(String.init)
      let value = parts.count > 1 ? parts[1] : arguments.dropFirst(index + 1).first ?? ""
      // The value may be a width and a height, as in OpenCV's `ksize=(5, 5)`.
      let sizes = value.filter { !"() ".contains($0) }.split { ",x".contains($0) }.map(String.init)
      let hint = WindowSize.hint(parts[0], sizes) { sigmas in
        "--sigma " + sigmas.uniqued.joined(separator: "x")
      }
      if let hint { return hint }
    }
    return nil
  }

  /// Returns the option that the user probably meant. For example, a verb that writes several files has the
  /// option `--folder` instead of `--output`, and other libraries use other names for `--edge`, `--sigma` and
  /// `--constant`. An option without a known synonym is returned unchanged.
  private static func synonym(of option: String, among options: [String]) -> String {
    let meant =
      switch option.lowercased().filter(\.isLetter) {
      case "output": "--folder"
      case "border", "bordertype", "bordermode", "boundary", "edgemode", "mode", "padding": "--edge"
      case "std", "stddev", "stdev", "sigmax", "sigmay", "blur": "--sigma"
      case "cval", "bordervalue", "constantvalues": "--constant"
      default: option
      }
    return options.contains(meant) ? meant : option
  }

  private struct Tool: Decodable { let command: Description }

  /// Returns a suggestion for a misspelled word, such as "; did you mean 'verify'?". The suggested name
  /// begins with `word` or has a similar spelling. If there is no such name, the result is an empty string.
  private static func suggestion(for word: String, among names: [String]) -> String {
    let near = names.first { $0.hasPrefix(word) } ?? nearestName(to: word, in: names)
    return near.map { "; did you mean '\($0)'?" } ?? ""
  }

  /// Returns a hint that points to the help text, such as "see 'blurbench run --help'".
  static func hint(_ arguments: [String]) -> String {
    let verbs = Blurbench.configuration.subcommands.compactMap { $0.configuration.commandName }
    let verb = arguments.first.flatMap { verbs.contains($0) ? $0 + " " : nil } ?? ""
    return "see 'blurbench \(verb)--help'"
  }
}
