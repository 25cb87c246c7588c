import Foundation
import TestSupport
import Testing

/// The built `blurbench`, run as a user runs it.
struct Command {
  let code: Int32
  let output: String
  let errors: String

  static let program = Program.buildFolder.appending(path: "blurbench").path
  static let package = Program.package

  /// Runs `blurbench` with arguments, behind other words such as an emulator's if need be.
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
