import BlurRecords
import BlurServer
import Foundation
import TestSupport
import Testing

@testable import BlurMeasurement

@Suite("The identity of a build")
struct CurrentBuildTests {
  @Test("Files of external kernels are part of the identity, and equal files give equal identities")
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

  @Test("A revision is reported only if the program was built from the current sources")
  func revision() throws {
    try Scratch.folder { folder in
      let repository = try Repository(folder)
      let first = try repository.commit("one")
      let program = try repository.link()
      let sources = BuildIdentity.Sources(folder: folder)
      #expect(sources.revision(of: program) == first)
      // A program at any other path, such as a copy, may have been built from other sources. Its revision is
      // therefore unknown.
      let copy = folder.appending(path: "copy")
      try FileManager.default.copyItem(at: program, to: copy)
      #expect(sources.revision(of: copy) == nil)
      #expect(BuildIdentity.Sources(folder: folder.appending(path: ".build")).revision(of: program) == nil)
      // A later commit changes the sources after the program was built.
      _ = try repository.commit("two")
      try repository.touch("Sources/a.swift", secondsFromNow: 60)
      #expect(sources.revision(of: program) == nil)
      try repository.touch("Sources/a.swift", secondsFromNow: -60)
      #expect(sources.revision(of: program) != nil)
      // The benchmark suites are compiled into the program, so a change to a suite file counts as a change to
      // the sources.
      try repository.touch("Bench/Suites", secondsFromNow: 60)
      #expect(sources.revision(of: program) == nil)
      try repository.touch("Bench/Suites", secondsFromNow: -60)
      // The sources of the lab belong only to the program `lab`.
      let lab = try repository.link("lab")
      #expect(sources.revision(of: lab) != nil)
      try repository.touch("Bench/Lab/Sources", secondsFromNow: 60)
      #expect(sources.revision(of: lab) == nil && sources.revision(of: program) != nil)
      // The sources were changed without a commit, before the program was built.
      try Data("three".utf8).write(to: folder.appending(path: "Sources/a.swift"))
      try repository.touch("Sources/a.swift", secondsFromNow: -60)
      let built = try #require(sources.revision(of: program))
      #expect(built.hasSuffix(", with uncommitted changes"))
    }
  }

  @Test("A build's stamp contains its options, and its revision if that is known")
  func stamp() {
    let full = BuildIdentity.Stamp("feed, with uncommitted changes|-c release -Xcc -DA=|")
    #expect(full.revision == "feed, with uncommitted changes" && full.flags == "-c release -Xcc -DA=|")
    #expect(BuildIdentity.Stamp("|-c release").revision == nil)
    #expect(BuildIdentity.Stamp("") == BuildIdentity.Stamp("|"))
    // The build identity of the test program lists the compiler options with which its modules were built.
    // One of them aligns all functions.
    #expect(BuildIdentity.current().flags.contains("-align-all-functions=6"))
    #expect(BuildIdentity.current().flags.contains("BlurLoopsAVX2 -mavx2 -mfma") == Tiers.hasAllLoops)
  }

  @Test("A copy of the sources in a folder that git ignores has no revision")
  func ignored() throws {
    try Scratch.folder { folder in
      let repository = try Repository(folder)
      _ = try repository.commit("one")
      let copy = folder.appending(path: ".build/copy")
      for name in ["Sources", "Bench/GoogleBenchmark", "Bench/Suites", ".build/release/App.product"] {
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

  @Test("If a source file was deleted, the revision is unknown")
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

  @Test("Commands in a repository's git configuration are not executed")
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
      // Plain git, without the options that our code adds, runs the configured command. This proves that the
      // check above can fail.
      _ = try FinishedProcess(["git", "-C", folder.path, "status", "--porcelain"])
      #expect(FileManager.default.fileExists(atPath: trace.path))
    }
  }

  @Test(
    "Filters that a repository configures for its files are not executed",
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
      // The new text has the same size as the old one, so git has to read the file to notice the change.
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
      // Plain git, without the options that our code adds, runs the configured filter. This proves that the
      // check above can fail.
      if kind == "smudge" {
        try worktree("unsafe", [])
      } else {
        _ = try FinishedProcess(["git", "-C", folder.path] + status)
      }
      #expect(FileManager.default.fileExists(atPath: trace.path))
      // Our code switches filters off by options of git. A filter whose name contains `=` cannot be switched
      // off in this way, so git is not run at all.
      try repository.git(["config", "filter.a=b.clean", spy.path])
      #expect(Git.output(status, in: folder.path) == nil)
    }
  }
}

/// A small git repository with source files and a program.
private struct Repository {
  let folder: URL
  private static let folders = ["Sources", "Bench/GoogleBenchmark", "Bench/Suites", "Bench/Lab/Sources"]

  init(_ folder: URL) throws {
    self.folder = folder.resolvingSymlinksInPath()
    for name in Self.folders + [".build/release/App.product", ".build/release/lab.product"] {
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

  /// Commits `text` as the new content of the source file, and returns the hash of the commit.
  func commit(_ text: String) throws -> String {
    try Data(text.utf8).write(to: folder.appending(path: "Sources/a.swift"))
    for name in ["Sources/a.swift", "Package.swift"] + Self.folders {
      try touch(name, secondsFromNow: -60)
    }
    try git(["add", "--all"])
    try git(["commit", "--quiet", "-m", text])
    return try #require(Git.line(["rev-parse", "HEAD"], in: folder.path))
  }

  /// Writes a program to the path where a linker would put it, and returns that path.
  func link(_ name: String = "App") throws -> URL {
    let program = folder.appending(path: ".build/release/\(name)")
    try Data("code".utf8).write(to: program)
    return program
  }

  func touch(_ path: String, secondsFromNow seconds: Double) throws {
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSinceNow: seconds)],
      ofItemAtPath: folder.appending(path: path).path)
  }
}
