import Foundation
import TestSupport
import Testing

@Suite("Shards on the command line")
struct ShardCommandTests {
  static let workload = [
    "run", "--kernel", "separable,box-triple", "--format", "gray8", "--size", "16x12", "--sigma", "1,2",
    "--threads", "1", "--repetitions", "2", "--min-time", "1e-6", "--certify-seconds", "0",
  ]

  func measure(_ shard: String, _ folder: URL, _ more: [String] = [], name: String? = nil) throws -> Command {
    let file = (name ?? shard.replacing("/", with: "-")) + ".csv"
    return try Command(
      Self.workload + ["--shard", shard, "--output", folder.appending(path: file).path] + more)
  }

  @Test("Merged shards give the cases of one run, and if a shard is missing the exit code is 4")
  func merge() throws {
    try Scratch.folder { folder in
      let out = folder.appending(path: "out").path
      #expect(try measure("1/2", folder).code == 0)
      let half = try Command(["merge", folder.path, "--folder", out])
      #expect(half.code == 4 && half.output.contains("missing") && half.output.contains("2 of 4 cases"))
      #expect(try Command(["merge", folder.path, "--missing-shards"]).output == "2\n")
      #expect(try measure("2/2", folder).code == 0)
      #expect(try Command(["merge", folder.path, "--folder", out]).code == 1)
      let whole = try Command(["merge", folder.path, "--folder", out, "--replace", "--json"])
      let summary = try JSONSerialization.jsonObject(with: Data(whole.output.utf8)) as? [String: Any]
      #expect(whole.code == 0 && summary?["is_complete"] as? Bool == true)
      let csv = try #require(
        FileManager.default.contentsOfDirectory(atPath: out).first { $0.hasSuffix(".csv") })
      let rank = try Command(["rank", "\(out)/\(csv)"])
      #expect(rank.code == 0 && rank.output.contains("box-triple"))
    }
  }

  @Test("A shard that has no workload is complete")
  func empty() throws {
    try Scratch.folder { folder in
      let codes = try (1...3).map { try measure("\($0)/3", folder).code }
      let merge = try Command(["merge", folder.path])
      #expect(codes == [0, 0, 0] && merge.code == 0, "\(merge.errors)")
    }
  }

  @Test("Records of a virtual node say that times are unusable, and are never merged with real ones")
  func virtualNode() throws {
    try Scratch.folder { folder in
      #expect(try measure("1/1", folder, ["--virtual-node"], name: "virtual").code == 0)
      #expect(try measure("1/1", folder, name: "real").code == 0)
      let text = try String(contentsOf: folder.appending(path: "virtual.txt"), encoding: .utf8)
      #expect(text.contains("times are unusable"))
      let out = folder.appending(path: "out")
      #expect(try Command(["merge", folder.path, "--folder", out.path]).code == 0)
      let files = try FileManager.default.contentsOfDirectory(atPath: out.path).filter {
        $0.hasSuffix(".csv")
      }
      #expect(files.count == 2 && files.filter { $0.hasPrefix("virtual-") }.count == 1)
    }
  }

  @Test(
    "Invalid shards, and folders with nothing to merge, give a message",
    arguments: ["3/2", "two", "auto", "auto/x"])
  func wrong(shard: String) throws {
    try Scratch.folder { folder in
      let command = try measure(shard, folder, name: "x")
      #expect(command.code == 64 && command.errors.contains("--shard"))
      let merge = try Command(["merge", folder.path])
      #expect(merge.code == 1 && merge.errors.contains(folder.path))
    }
  }
}
