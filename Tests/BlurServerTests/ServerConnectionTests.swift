import BlurRecords
import Foundation
import Testing

@testable import BlurServer

@Suite("Connections to server processes")
struct ServerConnectionTests {
  /// Starts a shell as a server. The process first sends its greeting. When it gets a request, it does
  /// `work`.
  private func connection(
    version: Int = 3, _ work: String, timeout: Double = 60, keepsErrors: Bool = false
  ) throws -> ServerConnection {
    let process = Process()
    process.executableURL = URL(filePath: "/bin/sh")
    process.arguments = ["-c", #"echo '{"answer":{"_0":\#(version)}}'; read request; "# + work]
    return try ServerConnection(process, timeout: timeout, keepsErrors: keepsErrors)
  }

  /// Sends a request to a shell. The shell does `work` and then answers. Returns the answer.
  private func answer(after work: String, timeout: Double) throws -> String {
    try connection(work + #"; echo '{"answer":{"_0":"x"}}'"#, timeout: timeout).answer(to: "hello")
  }

  @Test("Parts arrive before the answer, and a failure is thrown")
  func parts() throws {
    let server = try connection(
      #"echo '{"part":{"_0":"a"}}'; echo '{"part":{"_0":"b"}}'; echo '{"answer":{"_0":"c"}}'; read request; "#
        + #"echo '{"failure":{"_0":"no luck"}}'; read request"#)
    var parts: [String] = []
    let last: String = try server.answer(to: "hello", part: { (part: String) in parts.append(part) })
    #expect(parts == ["a", "b"] && last == "c")
    #expect(throws: MeasurementError.failed("no luck")) { try server.answer(to: "hello") as String }
    #expect(server.end == nil)
  }

  @Test("A process that is killed is described by its signal and its last message")
  func crashing() throws {
    // The threads of tests block all other signals, and a child process inherits the blocked signals.
    let server = try connection("echo 'mine.c:12: width is even' >&2; kill -KILL $$", keepsErrors: true)
    #expect(throws: MeasurementError.self) { try server.answer(to: "hello") as String }
    let end = try #require(server.end)
    #expect(
      end.text == "was killed (signal 9); its last message was 'mine.c:12: width is even'"
        && !end.isHanging, "\(end)")
  }

  @Test("A process with another version of the protocol is refused, and the message names the version")
  func otherVersion() {
    let error = #expect(throws: MeasurementError.self) { try connection(version: 1, "read request") }
    #expect("\(error as Any)".contains("this program needs version 3"))
  }

  @Test("A process that gets only a part of a CPU is waited for, because only its own CPU time counts")
  func slowed() throws {
    // In real time this takes more than the timeout. The CPU time is about a tenth of the timeout, so that
    // the process is neither over the timeout nor idle on a CPU that is several times slower or faster.
    let work = """
      i=0; while [ $i -lt 50 ]; do
        sleep 0.03; j=0; while [ $j -lt 2000 ]; do j=$((j + 1)); done; i=$((i + 1))
      done
      """
    let start = ContinuousClock.now
    #expect(try answer(after: work, timeout: 1) == "x")
    #expect(ContinuousClock.now - start > .seconds(1.2))
  }

  @Test("A process that only waits is reported as hanging, and one that exits is not")
  func waiting() throws {
    let start = ContinuousClock.now
    var error = #expect(throws: MeasurementError.self) { try answer(after: "exec sleep 30", timeout: 0.5) }
    #expect("\(error as Any)".contains("hangs: no answer within 0.5 s"))
    #expect(ContinuousClock.now - start < .seconds(20))
    error = #expect(throws: MeasurementError.self) { try answer(after: "exit 7", timeout: 60) }
    #expect("\(error as Any)".contains("exit code 7"))
  }

  @Test("A process that computes is reported as hanging once its CPU time reaches the timeout")
  func computing() {
    let error = #expect(throws: MeasurementError.self) {
      try answer(after: "while :; do :; done", timeout: 0.5)
    }
    #expect("\(error as Any)".contains("hangs: no answer within 0.5 s"))
  }

  @Test("Sending to a process that does not read its input ends after the time limit")
  func unreadInput() throws {
    let process = Process()
    process.executableURL = URL(filePath: "/bin/sleep")
    process.arguments = ["100"]
    let child = try ChildProcess(process)
    #expect(child.send(Data("short".utf8), within: 0.2))
    // A pipe holds 64 KiB by default.
    #expect(!child.send(Data(count: 1 << 20), within: 0.2))
    child.end()
    #expect(child.signalNumber == SIGKILL)
  }
}
