import Foundation
import TestSupport
import Testing

/// Tests of `run --save NAME`, followed by `compare NAME`.
@Suite("Saved baselines")
struct BaselineTests {
  private static let quick = [
    "--pairs", "6", "--rounds", "2", "--min-time", "0.0001", "--budget", "2", "--json",
  ]
  private static let run = [
    "run", "--repetitions", "2", "--min-time", "0.0001", "--certify-seconds", "0", "--csv",
  ]

  /// Returns the names of the compared cases, and whether each case has a fault.
  private func faults(_ command: Command) throws -> [String: Bool] {
    let object = try JSONSerialization.jsonObject(with: Data(command.output.utf8)) as? [String: Any]
    let cases = try #require(object?["cases"] as? [[String: Any]], "\(command.errors)")
    return Dictionary(
      uniqueKeysWithValues: cases.map { item in
        (item["name"] as? String ?? "", (item["faults"] as? [Any])?.isEmpty == false)
      })
  }

  @Test("The cases of the saved run are compared, whatever the suites contain, and lists select among them")
  func cases() throws {
    try Scratch.folder { folder in
      let states = ["XDG_STATE_HOME": folder.path]
      let workloads = [
        "--format", "gray8", "--size", "63x31,40x20", "--sigma", "1.75", "--threads", "1", "--kernel",
        "simd,fft",
      ]
      let saved = try Command(Self.run + workloads + ["--save", "before"], environment: states)
      #expect(saved.code == 0 && saved.errors.contains("`blurbench compare before`"), "\(saved.errors)")
      let all = try faults(Command(["compare", "before"] + Self.quick, environment: states))
      #expect(all.count == 4 && !all.values.contains(true))
      #expect(all.keys.allSatisfy { $0.contains("sigma=1.75") })
      let one = try Command(
        ["compare", "before", "--size", "63x31", "--filter", "kernel=fft"] + Self.quick, environment: states)
      #expect(try faults(one).keys.map { $0.contains("kernel=fft/") && $0.contains("size=63x31") } == [true])
      let none = try Command(["compare", "before", "--size", "9x9"], environment: states)
      #expect(none.code == 64 && none.errors.contains("none of the 4 cases of baseline 'before'"))
      let unknown = try Command(["compare", "befor"], environment: states)
      #expect(
        unknown.code == 64 && unknown.errors.contains("the saved baselines are before"),
        "\(unknown.errors)")
    }
  }

  @Test(
    "A plug-in is compared with its saved copy, not with itself", .tags(.long), .slow,
    .enabled(if: Program.exists("cc"), "no C compiler is installed (package gcc or clang)"))
  func plugin() throws {
    try Scratch.folder { folder in
      let states = ["XDG_STATE_HOME": folder.appending(path: "states").path]
      let source = try String(
        contentsOf: Command.package.appending(path: "Bench/Peers/Template/template.c"), encoding: .utf8)
      _ = try CompareTests.compiled(source, as: "mine", in: folder)
      let workload = [
        "--format", "gray8", "--size", "64x48", "--sigma", "2", "--kernel", "template-gaussian",
      ]
      // The path is relative to the current folder, as users write it.
      let saved = try Command(
        Self.run + workload + ["--plugin", "./mine.so", "--save", "mine"], in: folder, environment: states)
      #expect(saved.code == 0, "\(saved.errors)")
      let same = try Command(["compare", "mine"] + Self.quick, environment: states)
      #expect(try faults(same).values.map(\.self) == [false])
      // The plug-in is rebuilt at the same path, with a mistake: its window is too narrow. The comparison
      // with the saved copy must report it as wrong.
      let cut = source.replacingOccurrences(of: "ceil(4 *", with: "ceil(1 *")
      try #require(cut != source)
      let library = try CompareTests.compiled(cut, as: "mine", in: folder)
      let wrong = try Command(["compare", "mine"] + Self.quick, environment: states)
      #expect(wrong.code == 3, "\(wrong.errors)")
      #expect(try faults(wrong).values.map(\.self) == [true])
      // The user names another library, which is right. It is compared with the saved copy, instead of the
      // wrong library at the original path.
      let other = try CompareTests.compiled(source, as: "other", in: folder)
      let named = try Command(["compare", "mine", "--plugin", other] + Self.quick, environment: states)
      #expect(try faults(named).values.map(\.self) == [false])
      // This saved run contains only `simd`, and no kernels of the plug-in. If the user then names the
      // plug-in, there is no saved time to compare it with, which is an error.
      let own = Self.run + ["--format", "gray8", "--size", "64x48", "--sigma", "2", "--kernel", "simd"]
      _ = try Command(own + ["--save", "own"], environment: states)
      let unseen = try Command(["compare", "own", "--plugin", other] + Self.quick, environment: states)
      #expect(unseen.code == 64, "\(unseen.errors)")
      #expect(unseen.errors.contains("has no case of template-gaussian"), "\(unseen.errors)")
      // This saved run contains kernels of the plug-in and `simd`. A filter may restrict the comparison to
      // `simd`, even though a plug-in was loaded.
      let two = workload.dropLast() + ["template-gaussian,simd", "--plugin", other, "--save", "two"]
      _ = try Command(Self.run + two, environment: states)
      let one = try Command(["compare", "two", "--filter", "kernel=simd"] + Self.quick, environment: states)
      let chosen = try faults(one)
      #expect(!chosen.isEmpty && !chosen.values.contains(true), "\(one.errors)")
      #expect(chosen.keys.allSatisfy { $0.contains("kernel=simd/") })
      let early = try Command(["compare", "mine", "--junit", "none/x.xml"] + Self.quick, environment: states)
      #expect(early.code == 64 && early.errors.contains("cannot be written to"), "\(early.errors)")
      try FileManager.default.removeItem(atPath: library)
      let gone = try Command(["compare", "mine"], environment: states)
      #expect(
        gone.code == 64 && gone.errors.contains("use --plugin to name the file to compare"), "\(gone.errors)")
    }
  }

  @Test("A run reports changes since the same cases ran last, and a smaller run keeps the other cases")
  func sinceLast() throws {
    try Scratch.folder { folder in
      let states = ["XDG_STATE_HOME": folder.path]
      func said(_ words: [String]) throws -> Bool {
        let all = Self.run + ["--format", "gray8", "--size", "64x48", "--edge", "clamp"] + words
        return try Command(all, environment: states).errors.contains("Since these cases ran here last")
      }
      let first = try said(["--kernel", "simd", "--sigma", "2"])
      let other = try said(["--kernel", "fft", "--sigma", "3"])
      let again = try said(["--kernel", "simd,fft", "--sigma", "2"])
      #expect(!first && !other && again)
    }
  }

  @Test("The suggested next commands work in the current folder, in a checkout and elsewhere")
  func next() throws {
    try Scratch.folder { folder in
      let words = [
        "run", "--kernel", "simd,fft", "--format", "gray8", "--size", "64x48,32x32", "--sigma", "2",
      ]
      let run = words + ["--repetitions", "2", "--min-time", "0.0001", "--certify-seconds", "0"]
      let states = ["XDG_STATE_HOME": folder.path]
      let outside = try Command(run, in: folder, environment: states).errors
      let next = outside.components(separatedBy: "Next:\n").last?.split(separator: "\n") ?? []
      #expect(next.count == 3, "\(outside)")
      for word in ["run --output FILE.csv", "tune", "run --save before"] { #expect(outside.contains(word)) }
      #expect(!outside.contains("HEAD~1"))
      let inside = try Command(run, environment: states).errors
      if Program.exists("git"), FileManager.default.fileExists(atPath: Command.package.path + "/.git") {
        #expect(inside.contains("compare HEAD~1 HEAD"), "\(inside)")
      }
    }
  }
}

@Suite("The output of a run")
struct RunTextTests {
  @Test("In a log, progress, results and suggestions follow each other in whole lines")
  func log() throws {
    try Scratch.folder { folder in
      let states = ["XDG_STATE_HOME": folder.path]
      let words = [
        "run", "--kernel", "simd,fft", "--format", "gray8", "--size", "64x48,32x32", "--sigma", "2,3,4",
        "--threads", "1",
      ]
      let options = [
        "--repetitions", "2", "--min-time", "0.0001", "--certify-seconds", "0", "--output", "r.csv",
      ]
      // A single file receives both output streams, as in CI.
      let log = try Command(
        words + options, behind: ["sh", "-c", "exec \"$@\" 2>&1", "log"], in: folder, environment: states
      ).output
      let lines = log.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
      let steps = lines.indices.filter { lines[$0].hasPrefix("[") }
      #expect(steps.count == 6, "\(log)")
      let table = try #require(
        lines.firstIndex { $0.contains("is fastest") || $0.contains("tied") }, "\(log)")
      #expect((steps.max() ?? .max) < table)
      let records = try #require(lines.firstIndex { $0.hasPrefix("records: r.csv") })
      let next = try #require(lines.firstIndex(of: "Next:"))
      #expect(table < records && records < next && next == lines.count - 5)
    }
  }
}
