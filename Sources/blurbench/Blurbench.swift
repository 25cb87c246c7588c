import ArgumentParser
import BlurMeasurement
import BlurRecords
import BlurText
import Foundation

/// The command-line program. Each verb (subcommand) has its own file.
@main
struct Blurbench: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "blurbench",
    abstract: "Verify, time, compare and choose blur kernels.",
    discussion: """
      Exit codes: 0 success, 1 the command could not be carried out, 3 a check failed or a result was wrong, \
      4 there was nothing to measure or check, or the result is not clear, 64 wrong usage.
      """,
    version: BuildIdentity.version,
    subcommands: [
      ListCommand.self, VerifyCommand.self, CertifyCommand.self, RunCommand.self, RankCommand.self,
      MergeCommand.self, CompareCommand.self, ExportCommand.self, SelectCommand.self, TuneCommand.self,
      BlurCommand.self, SceneCommand.self, PictureCommand.self, ReportCommand.self, SiteCommand.self,
      WorkerCommand.self,
    ])

  static func main() {
    // When a file reaches the size limit of the process, the write should fail like a write to a full disk,
    // and the signal must not end the program.
    signal(SIGXFSZ, SIG_IGN)
    // The version number alone cannot tell two builds apart, so `--version` also prints the identity of the
    // build. Computing that identity takes a moment, so it is done only here and not for every verb.
    if CommandLine.arguments.dropFirst() == ["--version"] {
      let lines = BuildIdentity.current().lines.map { "\($0): \($1)" }
      return print((["blurbench \(BuildIdentity.version)"] + lines).joined(separator: "\n"))
    }
    let words = Array(CommandLine.arguments.dropFirst())
    if words.first == "help", let error = Typos.error(in: words) { finish(ValidationError(error)) }
    do {
      var command = try parseAsRoot()
      try command.run()
    } catch let error as MeasurementError where error.isUsage {
      finish(ValidationError(error.description))
    } catch {
      finish(error)
    }
  }

  /// Returns the text for an error. Foundation describes its own errors by domain and code, so for those the
  /// localized description is used instead.
  private static func words(of error: any Error) -> String {
    switch error {
    case is DecodingError: "the input does not have the expected format"
    case is EncodingError: "a number that is not finite cannot be written as JSON"
    default: message(for: error).contains("Error Domain=") ? error.localizedDescription : message(for: error)
    }
  }

  /// Ends the program with the exit code for `error`. Prints one line on standard error if something went
  /// wrong; a request for help prints the help text as usual.
  private static func finish(_ error: any Error) -> Never {
    let code = exitCode(for: error)
    guard !code.isSuccess, !message(for: error).isEmpty else { exit(withError: error) }
    let words = Array(CommandLine.arguments.dropFirst())
    let isUsage = code == .validationFailure
    let message = (isUsage ? Typos.error(in: words) : nil) ?? self.words(of: error)
    Terminal.say("blurbench: \(message)" + (isUsage ? " (\(Typos.hint(words)))" : ""))
    exit(withError: code)
  }
}
