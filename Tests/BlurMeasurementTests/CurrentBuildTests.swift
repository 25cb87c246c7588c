import BlurRecords
import Foundation
import TestSupport
import Testing

@testable import BlurMeasurement

@Suite("The build's identity")
struct CurrentBuildTests {
  @Test("Files with external kernels are part of the identity, and nothing else changes it")
  func files() throws {
    try Scratch.folder { folder in
      let plugin = folder.appending(path: "a.so")
      try Data("one".utf8).write(to: plugin)
      let first = BuildIdentity.current(files: [plugin.path])
      #expect(first == BuildIdentity.current(files: [plugin.path]))
      #expect(first.hash != BuildIdentity.current().hash)
      try Data("two".utf8).write(to: plugin)
      #expect(first.hash != BuildIdentity.current(files: [plugin.path]).hash)
      try FileManager.default.removeItem(at: plugin)
      #expect(BuildIdentity.current(files: [plugin.path]) != .current(files: [plugin.path]))
    }
  }

  @Test("A revision is named where the sources are those of the program, and is unknown otherwise")
  func revision() throws {
    try Scratch.folder { folder in
      let repository = try Repository(folder)
      let first = try repository.commit("one")
      let program = try repository.link()
      let sources = BuildIdentity.Sources(folder: folder)
      #expect(sources.revision(of: program) == first)
      // Not what the linker left: a copy.
      let copy = folder.appending(path: "copy")
      try FileManager.default.copyItem(at: program, to: copy)
      #expect(sources.revision(of: copy) == nil)
      #expect(BuildIdentity.Sources(folder: folder.appending(path: ".build")).revision(of: program) == nil)
      // A later commit whose code is not built.
      _ = try repository.commit("two")
      try repository.touch("Sources/a.swift", secondsFromNow: 60)
      #expect(sources.revision(of: program) == nil)
      try repository.touch("Sources/a.swift", secondsFromNow: -60)
      #expect(sources.revision(of: program) != nil)
      // Suites are inside the program.
      try repository.touch("Bench/Suites", secondsFromNow: 60)
      #expect(sources.revision(of: program) == nil)
      try repository.touch("Bench/Suites", secondsFromNow: -60)
      // Built, and changed by hand before that.
      try Data("three".utf8).write(to: folder.appending(path: "Sources/a.swift"))
      try repository.touch("Sources/a.swift", secondsFromNow: -60)
      let built = try #require(sources.revision(of: program))
      #expect(built.hasSuffix(", with uncommitted changes"))
    }
  }

  @Test("A stamp names a revision, or none, and the options of the build")
  func stamp() {
    let full = BuildIdentity.Stamp("feed, with uncommitted changes|-c release -Xcc -DA=|")
    #expect(full.revision == "feed, with uncommitted changes" && full.flags == "-c release -Xcc -DA=|")
    #expect(BuildIdentity.Stamp("|-c release").revision == nil)
    #expect(BuildIdentity.Stamp("") == BuildIdentity.Stamp("|"))
    // This program is where the linker left it, and says by itself what parts of it are compiled for.
    #expect(BuildIdentity.current().flags.contains("-align-all-functions=6"))
    #expect(BuildIdentity.current().flags.contains("BlurLoopsAVX2 -mavx2 -mfma") == Tiers.hasAllLoops)
  }

  @Test("A copy of the sources in a folder that git ignores has no revision")
  func ignored() throws {
    try Scratch.folder { folder in
      let repository = try Repository(folder)
      _ = try repository.commit("one")
      let copy = folder.appending(path: ".build/copy")
      for name in ["Sources", "Bench/GoogleBenchmarkShim", "Bench/Suites", ".build/release/App.product"] {
        try FileManager.default.createDirectory(
          at: copy.appending(path: name), withIntermediateDirectories: true)
      }
      for name in ["Package.swift", "Sources/a.swift"] {
        try FileManager.default.copyItem(at: folder.appending(path: name), to: copy.appending(path: name))
      }
      let program = copy.appending(path: ".build/release/App")
      try Data("code".utf8).write(to: program)
      #expect(BuildIdentity.Sources(folder: copy).revision(of: program) == nil)
    }
  }

  @Test("A file that was deleted from the sources makes the revision unknown")
  func deleted() throws {
    try Scratch.folder { folder in
      let repository = try Repository(folder)
      try Data().write(to: folder.appending(path: "Sources/b.swift"))
      try repository.touch("Sources/b.swift", secondsFromNow: -60)
      _ = try repository.commit("one")
      let program = try repository.link()
      #expect(BuildIdentity.Sources(folder: folder).revision(of: program) != nil)
      try FileManager.default.removeItem(at: folder.appending(path: "Sources/b.swift"))
      try repository.touch("Sources", secondsFromNow: 60)
      #expect(BuildIdentity.Sources(folder: folder).revision(of: program) == nil)
    }
  }

  @Test("What a repository's configuration would execute is not executed")
  func configuration() throws {
    try Scratch.folder { folder in
      let repository = try Repository(folder)
      _ = try repository.commit("one")
      let trace = folder.appending(path: "trace")
      let spy = folder.appending(path: "spy")
      try Data("#!/bin/sh\ntouch '\(trace.path)'\n".utf8).write(to: spy)
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: spy.path)
      try repository.git(["config", "core.fsmonitor", spy.path])
      #expect(Git.line(["rev-parse", "HEAD"], in: folder.path) != nil)
      _ = Git.line(["status", "--porcelain"], in: folder.path)
      #expect(!FileManager.default.fileExists(atPath: trace.path))
      // The test can fail: without our words the command runs.
      _ = try FinishedProcess(["git", "-C", folder.path, "status", "--porcelain"])
      #expect(FileManager.default.fileExists(atPath: trace.path))
    }
  }

  @Test(
    "A filter that a repository names for its own files is not executed, of whatever kind",
    arguments: ["clean", "process", "smudge"])
  func filters(kind: String) throws {
    try Scratch.folder { folder in
      let repository = try Repository(folder)
      try Data("* filter=a.b\n".utf8).write(to: folder.appending(path: ".gitattributes"))
      _ = try repository.commit("one")
      let (trace, spy) = (folder.appending(path: "trace"), folder.appending(path: "spy"))
      try Data("#!/bin/sh\ntouch '\(trace.path)'\nexec cat\n".utf8).write(to: spy)
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: spy.path)
      try repository.git(["config", "filter.a.b.\(kind)", spy.path])
      try repository.git(["config", "filter.a.b.required", "true"])
      // Of the same size, so that git looks into it.
      try Data("two".utf8).write(to: folder.appending(path: "Sources/a.swift"))
      let status = ["status", "--porcelain", "--", "Sources"]
      #expect(Git.output(status, in: folder.path) == " M Sources/a.swift\n")
      let filters = try #require(Git.withoutFilters(in: folder.path))
      let add = ["worktree", "add", "--detach"]
      func worktree(_ name: String, _ words: [String]) throws {
        _ = try FinishedProcess(
          Git.words + words + ["-C", folder.path] + add + [folder.appending(path: name).path, "HEAD"])
      }
      try worktree("safe", filters)
      #expect(FileManager.default.fileExists(atPath: folder.appending(path: "safe/Sources/a.swift").path))
      #expect(!FileManager.default.fileExists(atPath: trace.path))
      // The test can fail: without our options it runs.
      if kind == "smudge" {
        try worktree("unsafe", [])
      } else {
        _ = try FinishedProcess(["git", "-C", folder.path] + status)
      }
      #expect(FileManager.default.fileExists(atPath: trace.path))
      // What cannot be switched off is not risked.
      try repository.git(["config", "filter.a=b.clean", spy.path])
      #expect(Git.output(status, in: folder.path) == nil)
    }
  }
}

/// A small repository with sources and a program.
private struct Repository {
  let folder: URL

  init(_ folder: URL) throws {
    self.folder = folder.resolvingSymlinksInPath()
    for name in ["Sources", "Bench/GoogleBenchmarkShim", "Bench/Suites", ".build/release/App.product"] {
      try FileManager.default.createDirectory(
        at: folder.appending(path: name), withIntermediateDirectories: true)
    }
    try Data(".build/\n".utf8).write(to: folder.appending(path: ".gitignore"))
    try Data().write(to: folder.appending(path: "Package.swift"))
    try git(["init", "--quiet"])
  }

  func git(_ words: [String]) throws {
    let identity = ["-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "commit.gpgsign=false"]
    let finished = try FinishedProcess(["git", "-C", folder.path] + identity + words, keepsErrors: true)
    try #require(finished.isGood, "\(finished.output)")
  }

  /// Commits other sources and returns the hash.
  func commit(_ text: String) throws -> String {
    try Data(text.utf8).write(to: folder.appending(path: "Sources/a.swift"))
    for name in ["Sources/a.swift", "Package.swift", "Sources", "Bench/GoogleBenchmarkShim", "Bench/Suites"] {
      try touch(name, secondsFromNow: -60)
    }
    try git(["add", "--all"])
    try git(["commit", "--quiet", "-m", text])
    return try #require(Git.line(["rev-parse", "HEAD"], in: folder.path))
  }

  /// The program, as a linker leaves it.
  func link() throws -> URL {
    let program = folder.appending(path: ".build/release/App")
    try Data("code".utf8).write(to: program)
    return program
  }

  func touch(_ path: String, secondsFromNow seconds: Double) throws {
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSinceNow: seconds)],
      ofItemAtPath: folder.appending(path: path).path)
  }
}
