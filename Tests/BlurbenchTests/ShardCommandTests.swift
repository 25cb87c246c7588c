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

  @Test("Merged shards give the cases of one run, and a missing shard is an error")
  func merge() throws {
    try Scratch.folder { folder in
      let out = folder.appending(path: "all.csv").path
      #expect(try measure("1/2", folder).code == 0)
      let half = try Command(["merge", folder.path, "--output", out])
      #expect(half.code == 1 && half.errors.contains("shard 2/2 is missing"))
      #expect(try measure("2/2", folder).code == 0)
      let printed = try Command(["merge", folder.path])
      #expect(try Command(["merge", folder.path, "--output", out]).code == 0)
      #expect(try printed.output == String(contentsOfFile: out, encoding: .utf8))
      let rank = try Command(["rank", out])
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
      #expect(try measure("1/2", folder, ["--virtual-node"]).code == 0)
      #expect(try measure("2/2", folder).code == 0)
      let text = try String(contentsOf: folder.appending(path: "1-2.txt"), encoding: .utf8)
      #expect(text.contains("times are unusable"))
      let merge = try Command(["merge", folder.path])
      #expect(merge.code == 1 && merge.errors.contains("machine key differs: "))
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
