import Foundation
import Testing

@Suite("Targets", .serialized)
struct TargetTests {
  /// This program as the worker of another one.
  static let worker = "\(Command.program) worker serve"
  static let wrong = Command.package.appending(path: "Tests/BlurbenchTests/Fixtures/wrong-worker.py").path
  static let short = ["--kernel", "simd", "--format", "gray8", "--edge", "clamp", "--sigma", "2.5"]

  @Test("A worker on this machine keeps all properties, and gives this machine's bits")
  func worksHere() throws {
    let command = try Command(
      ["verify", "--target", Self.worker, "--csv", "--seconds", "0.2"] + Self.short)
    #expect(command.code == 0, "\(command.output)\(command.errors)")
    let rows = try PluginTests.rows(command.output)
    let passed = Set(rows.filter { $0["status"] == "PASSED" }.compactMap { $0["property"] })
    #expect(passed.isSuperset(of: ["truth", "threads", "guards", "tiles", "strides", "portable", "goldens"]))
    #expect(rows.first { $0["property"] == "portable" }?["max_error_levels"] == "0.0")
  }

  @Test("Kernels that blur in place do so in a worker")
  func inPlace() throws {
    let command = try Command(
      ["verify", "--target", Self.worker, "--kernel", "box-triple", "--property", "in-place"])
    #expect(command.code == 0 || command.code == 4, "\(command.output)\(command.errors)")
  }

  @Test(
    "A worker that answers wrongly fails, and says how",
    .enabled(if: Command.exists("python3"), "python3 is not installed"),
    arguments: [
      ("pixel", "portable", "the target and this program"), ("pixel", "truth", "promised: at most 1 level"),
      ("exits", "truth", "exit code 7"), ("short", "truth", "a message ends too early"),
      ("silent", "truth", "hangs: nothing for 2 s"),
    ])
  func wrongWorker(how: String, property: String, reason: String) throws {
    let command = try Command(
      [
        "verify", "--target", "\(Self.wrong) \(how) \(Self.worker)", "--property", property,
        "--kernel-timeout", how == "silent" ? "2" : "60",
      ] + Self.short)
    #expect(command.code == 3, "\(command.output)\(command.errors)")
    #expect(command.output.contains(reason), "\(command.output)")
  }

  @Test(
    "A command that starts no worker is an error that says so",
    arguments: [
      ("true", "exit code 0"), ("yes", "not as a blur-worker"), ("sleep 100", "hangs: nothing for 1 s"),
      ("no-such-program", "exit code 127"), ("cat", "must start a blur-worker"),
    ])
  func noWorker(target: String, reason: String) throws {
    let command = try Command(
      ["verify", "--target", target, "--kernel-timeout", "1", "--property", "truth"] + Self.short)
    #expect(command.code == 1)
    #expect(
      command.errors.contains("target '\(target)'") && command.errors.contains(reason), "\(command.errors)")
  }
}
