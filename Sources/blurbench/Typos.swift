import ArgumentParser
import Blur
import Foundation

/// Suggestions for misspelled verbs and options.
enum Typos {
  /// A command in the JSON form that the argument parser can dump.
  private struct Description: Decodable {
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

  /// Returns an error message if the verb or an option of a command line does not exist, or nil if all of
  /// them do.
  static func error(in arguments: [String]) -> String? {
    guard var verb = arguments.first else { return nil }
    var rest = arguments.dropFirst()
    if verb == "help", let named = rest.popFirst() { verb = named }
    guard !verb.hasPrefix("-") else { return nil }
    let commands = Blurbench.configuration.subcommands
    guard let command = commands.first(where: { $0.configuration.commandName == verb }) else {
      let shown = commands.compactMap { $0.configuration.commandName }.filter { $0 != "worker" } + ["help"]
      return shown.contains(verb) ? nil : "there is no verb '\(verb)'" + suggestion(for: verb, among: shown)
    }
    guard let tool = try? JSONDecoder().decode(Tool.self, from: Data(command._dumpHelp().utf8)) else {
      return nil
    }
    let options = tool.command.options
    let given = rest.prefix { $0 != "--" }.filter { $0.hasPrefix("--") }.map { $0.prefix { $0 != "=" } }
    return given.first { !(options + ["--help", "--version"]).contains(String($0)) }.map {
      "\(verb) has no option \($0)" + suggestion(for: synonym(of: String($0), among: options), among: options)
    }
  }

  /// Returns the option that the user probably meant. A verb that writes several files has the option
  /// `--folder` instead of `--output`, so `--folder` is returned for `--output`. All other options are
  /// returned unchanged.
  private static func synonym(of option: String, among options: [String]) -> String {
    option == "--output" && !options.contains(option) ? "--folder" : option
  }

  private struct Tool: Decodable { let command: Description }

  /// Returns a suggestion: a name that begins with `word`, or else one with a similar spelling, or else an
  /// empty string.
  private static func suggestion(for word: String, among names: [String]) -> String {
    let near = names.first { $0.hasPrefix(word) } ?? nearestName(to: word, in: names)
    return near.map { "; did you mean '\($0)'?" } ?? ""
  }

  /// Returns a hint to the help text, such as "see 'blurbench run --help'".
  static func hint(_ arguments: [String]) -> String {
    let verbs = Blurbench.configuration.subcommands.compactMap { $0.configuration.commandName }
    let verb = arguments.first.flatMap { verbs.contains($0) ? $0 + " " : nil } ?? ""
    return "see 'blurbench \(verb)--help'"
  }
}
