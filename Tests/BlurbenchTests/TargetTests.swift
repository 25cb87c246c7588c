import Blur
import BlurServer
import Foundation
import TestSupport
import Testing

@Suite("Targets, whose workers may run on other machines")
struct TargetTests {
  /// The command that starts this program as the worker of another program.
  static let worker = "\(Command.program) worker"
  static let wrong = Command.package.appending(path: "Tests/BlurbenchTests/Fixtures/wrong-worker.py").path
  static let short = ["--kernel", "simd", "--format", "gray8", "--edge", "clamp", "--sigma", "2.5"]

  @Test("A worker on this machine has all properties, and gives the same bits as this program")
  func worksHere() throws {
    let command = try Command(
      ["verify", "--target", Self.worker, "--csv", "--seconds", "0.2"] + Self.short)
    #expect(command.code == 0, "\(command.output)\(command.errors)")
    let rows = try PluginTests.rows(command.output)
    let passed = Set(rows.filter { $0["status"] == "PASSED" }.compactMap { $0["property"] })
    #expect(passed.isSuperset(of: ["truth", "threads", "guards", "tiles", "strides", "portable", "goldens"]))
    #expect(rows.first { $0["property"] == "portable" }?["max_error_levels"] == "0.0")
  }

  @Test(
    "A worker that answers wrongly fails, and the report says how",
    .enabled(if: Program.exists("python3"), "python3 is not installed"),
    arguments: [
      ("pixel", "portable", "result of the target compared with this program"),
      ("pixel", "truth", "promised: at most 1 level"),
      ("exits", "truth", "exit code 7"), ("short", "truth", "a message ends too early"),
      ("silent", "truth", "hangs: no answer within 5 s"),
    ])
  func wrongWorker(how: String, property: String, reason: String) throws {
    let command = try Command(
      [
        "verify", "--target", "\(Self.wrong) \(how) \(Self.worker)", "--property", property,
        "--kernel-timeout", how == "silent" ? "5" : "60",
      ] + Self.short)
    #expect(command.code == 3, "\(command.output)\(command.errors)")
    #expect(command.output.contains(reason), "\(command.output)")
  }

  @Test(
    "A command that does not start a worker is an error that says so",
    arguments: [
      ("true", "exit code 0"), ("yes", "nothing else may write to its standard output"),
      ("sleep 100", "hangs: no answer within 1 s"), ("no-such-program", "exit code 127"),
      ("cat", "must start a blur-worker"),
    ])
  func noWorker(target: String, reason: String) throws {
    let command = try Command(
      ["verify", "--target", target, "--kernel-timeout", "1", "--property", "truth"] + Self.short)
    #expect(command.code == 1)
    #expect(
      command.errors.contains("target '\(target)'") && command.errors.contains(reason), "\(command.errors)")
  }

  @Test("The target measures the times, and also a memcpy")
  func times() throws {
    let command = try Command(
      [
        "run", "--target", Self.worker, "--size", "64x64", "--threads", "1", "--repetitions", "2",
        "--min-time", "0.001", "--certify-seconds", "0", "--csv",
      ] + Self.short)
    #expect(command.code == 0, "\(command.errors)")
    let rows = try PluginTests.rows(command.output)
    #expect(rows.count == 4)
    #expect(rows.allSatisfy { Double($0["real_time"] ?? "").map { 10..<1e8 ~= $0 } ?? false })
  }

  @Test(
    "If a target ends while a case is measured, the case is an error, and the next case is tried anew",
    .enabled(if: Program.exists("python3"), "python3 is not installed"))
  func endsWhileMeasuring() throws {
    let command = try Command(
      [
        "run", "--target", "\(Self.wrong) exits \(Self.worker)", "--size", "64x64", "--threads", "1",
        "--repetitions", "2", "--min-time", "0.001", "--certify-seconds", "0", "--csv", "--kernel",
        "simd,separable", "--format", "gray8", "--edge", "clamp", "--sigma", "2.5",
      ])
    #expect(command.code == 3, "\(command.errors)")
    let rows = try PluginTests.rows(command.output)
    #expect(rows.count == 2)
    #expect(rows.allSatisfy { $0["error_message"]?.contains("exit code 7") == true }, "\(rows)")
  }

  @Test("A worker reports which instruction sets it has, and which it lacks")
  func instructionSets() throws {
    var request = MessageWriter()
    request.add(RequestKind.hello.rawValue)
    var answer = MessageReader(TargetServer().answer(to: request.bytes))
    #expect(try AnswerStatus(rawValue: answer.bits()) == .done)
    #expect(try answer.text() == TargetProtocol.name && answer.number() == TargetProtocol.version)
    _ = try answer.text()
    #expect(try answer.number() == Registry.kernels.count)
    for kernel in Registry.kernels {
      let served = try ServedKernel(from: &answer)
      #expect(served.name == kernel.name)
      #expect(served.instructionSets == kernel.instructionSets.filter(\.isAvailable))
      #expect(served.lackingSets == kernel.instructionSets.filter { !$0.isAvailable })
    }
  }

  /// Returns a request to make a plan, as the harness would send it.
  private static func request() throws -> [UInt8] {
    var message = MessageWriter()
    message.add(RequestKind.plan.rawValue)
    let layout = try ImageLayout(.rgba8, width: 9, height: 7)
    let problem = BlurProblem(
      layout, sigma: try Sigma(x: 2, y: 3), edge: .constant([1, 2, 3, 4]), threads: 2)
    PlanRequest(kernel: "simd", problem: problem, isTimed: false).write(to: &message)
    return message.bytes
  }

  @Test("A request is read back as it was written")
  func requests() throws {
    var message = MessageReader(try Self.request())
    _ = try message.bits()
    let read = try PlanRequest(from: &message)
    #expect(read.kernel == "simd" && read.problem.edge == .constant([1, 2, 3, 4]))
    #expect(read.problem.sigma == (try Sigma(x: 2, y: 3)) && read.problem.threads == 2)
  }

  @Test("A worker survives requests that are cut off or corrupted, and reports what is wrong")
  func spoiledRequests() throws {
    let whole = try Self.request()
    let server = TargetServer()
    func status(_ request: [UInt8]) throws -> AnswerStatus? {
      var answer = MessageReader(server.answer(to: request))
      return AnswerStatus(rawValue: try answer.bits())
    }
    for count in 0..<whole.count { #expect(try status(Array(whole[..<count])) == .failed) }
    #expect(try status(whole) == .done)
    for place in whole.indices {
      var spoiled = whole
      spoiled[place] ^= 0xFF
      #expect(try status(spoiled) != nil)
    }
  }
}
