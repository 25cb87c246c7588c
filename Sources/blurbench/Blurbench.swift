import ArgumentParser
import BlurMeasurement
import BlurRecords
import Foundation

/// The command line: one file for each verb.
@main
struct Blurbench: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "blurbench",
    abstract: "Blur kernels: verified, timed, compared and chosen from.",
    discussion: """
      Exit codes: 0 good, 1 could not do it, 3 a check failed or a result was wrong, 4 cannot tell, 64 usage.
      """,
    version: BuildIdentity.version,
    subcommands: [
      ListCommand.self, VerifyCommand.self, CertifyCommand.self, PaperCommand.self, RunCommand.self,
      RankCommand.self, MergeCommand.self, CompareCommand.self, CalibrateCommand.self, ExportCommand.self,
      SelectCommand.self, TuneCommand.self, BlurCommand.self, SceneCommand.self, PictureCommand.self,
      ReportCommand.self, SiteCommand.self, WorkerCommand.self,
    ])

  static func main() {
    // A file that may not grow is an error to report, as a full disk is.
    signal(SIGXFSZ, SIG_IGN)
    // The version alone would not tell builds apart; what does takes a moment, which other verbs are spared.
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

  /// An error in words. Foundation describes its own by domain and code.
  private static func words(of error: any Error) -> String {
    switch error {
    case is DecodingError: "what was read has not the form that it should have"
    case is EncodingError: "a number that is not finite cannot be written as JSON"
    default: message(for: error).contains("Error Domain=") ? error.localizedDescription : message(for: error)
    }
  }

  /// Ends the program: one line on standard error for what went wrong, help as it is.
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
