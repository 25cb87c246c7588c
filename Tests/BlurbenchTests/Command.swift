import Foundation
import TestSupport
import Testing

/// A finished run of the built `blurbench`, which was started as a user would start it.
struct Command {
  let code: Int32
  let output: String
  let errors: String

  static let program = Program.buildFolder.appending(path: "blurbench").path
  static let package = Program.package

  /// Runs `blurbench` with some arguments. `words` is put before the name of the program, for example to run
  /// it in an emulator.
  init(
    _ arguments: [String], behind words: [String] = [], in folder: URL = package,
    environment: [String: String] = [:]
  ) throws {
    let states = ["XDG_STATE_HOME": FileManager.default.temporaryDirectory.path + "/blurbench-states"]
    let run = try Program(
      words + [Self.program] + arguments, in: folder, environment: states.merging(environment) { $1 })
    (code, output, errors) = (run.code, run.output, run.errors)
  }
}
