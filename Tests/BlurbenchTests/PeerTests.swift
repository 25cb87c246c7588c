import Foundation
import TestSupport
import Testing

@Suite("Peers, which are blurs of other projects")
struct PeerTests {
  static let isSetUp = FileManager.default.fileExists(
    atPath: Command.package.appending(path: ".build/peers/plugins.txt").path)

  @Test(
    "Every peer that is set up gives a blurred image, near the exact one",
    .enabled(if: isSetUp, "the peers are not set up (Bench/Peers/setup)"))
  func peers() throws {
    let run = try Command(
      ["run", "--peers", "--kernel", "plugins", "--format", "gray8,rgba8,grayf32", "--size", "200x120"]
        + ["--sigma", "6", "--threads", "1", "--edge", "clamp", "--min-time", "0.001", "--csv"])
    #expect(run.code == 0, "\(run.errors)")
    let rows = try PluginTests.rows(run.output).filter { $0["real_time"] != "" }
    #expect(Set(rows.map { $0["name"]!.split(separator: "/")[1] }).count > 1)
    // The peers are kernels of other libraries. Some are inaccurate, so only a large error counts as a sign
    // that the result is not a blur with this sigma at all.
    for row in rows where !row["name"]!.contains("memcpy") {
      #expect(Double(row["max_error_levels"]!)! < 100, "\(row["name"]!)")
    }
  }
}
