import BlurRecords
import Foundation
import Testing

@testable import BlurMeasurement

@Suite("Processes that measure")
struct BenchProcessTests {
  /// A process that says hello, and then does `work` before it says which build it is.
  private func answer(after work: String, timeout: Double) throws -> String {
    let process = Process()
    process.executableURL = URL(filePath: "/bin/sh")
    process.arguments = [
      "-c", #"echo '{"version":1,"identifies":true}'; read question; "# + work + #"; echo '{"program":"x"}'"#,
    ]
    return try BenchProcess(process, timeout: timeout).build()
  }

  @Test("One that gets a part of a CPU only is waited for: its own time counts")
  func slowed() throws {
    // It takes three times the timeout, and computes for a part of that.
    let work = """
      i=0; while [ $i -lt 50 ]; do
        sleep 0.03; j=0; while [ $j -lt 5000 ]; do j=$((j + 1)); done; i=$((i + 1))
      done
      """
    let start = ContinuousClock.now
    #expect(try answer(after: work, timeout: 0.6) == "program x")
    #expect(ContinuousClock.now - start > .seconds(1.2))
  }

  @Test("One that waits is hanging after the timeout, and one that ends is told from it")
  func waiting() throws {
    let start = ContinuousClock.now
    var error = #expect(throws: MeasurementError.self) { try answer(after: "exec sleep 30", timeout: 0.5) }
    #expect("\(error as Any)".contains("hangs: no answer for 0.5 s"))
    #expect(ContinuousClock.now - start < .seconds(20))
    error = #expect(throws: MeasurementError.self) { try answer(after: "exit 7", timeout: 60) }
    #expect("\(error as Any)".contains("exit code 7"))
  }

  @Test("One that computes is hanging once it had the timeout on a CPU")
  func computing() {
    let error = #expect(throws: MeasurementError.self) {
      try answer(after: "while :; do :; done", timeout: 0.5)
    }
    #expect("\(error as Any)".contains("hangs: no answer for 0.5 s"))
  }
}
