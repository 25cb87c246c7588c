import BlurRecords
import Foundation
import Testing

@testable import BlurMeasurement

@Suite("Connections to server processes")
struct ServerConnectionTests {
  /// Starts a shell as a server, and asks it which build it is. The process first sends its
  /// greeting. After the question, it does `work` and then answers. Returns the answer.
  private func answer(after work: String, timeout: Double) throws -> String {
    let process = Process()
    process.executableURL = URL(filePath: "/bin/sh")
    process.arguments = [
      "-c",
      #"echo '{"answer":{"_0":2}}'; read question; "# + work + #"; echo '{"answer":{"_0":{"program":"x"}}}'"#,
    ]
    return try ServerConnection(process, timeout: timeout).build()
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
    #expect(try answer(after: work, timeout: 1) == "program x")
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
}
