import Blur
import BlurRecords
import CLinux
import Foundation

extension BuildIdentity {
  /// The version that the changelog speaks of.
  public static let version = "0.1.0"

  /// This program's.
  ///
  /// - Parameter files: paths of files with external kernels, which are part of what is measured.
  public static func current(files: [String] = []) -> BuildIdentity {
    let program = Bundle.main.executableURL?.resolvingSymlinksInPath()
    var hash = FNV1a()
    for file in [program].compactMap(\.self) + files.map({ URL(filePath: $0) }) {
      // What cannot be read is equal to nothing, itself included.
      guard let bytes = try? Data(contentsOf: file, options: .mappedIfSafe) else {
        hash = FNV1a(of: UUID().uuidString)
        break
      }
      bytes.withUnsafeBytes { hash.add($0) }
    }
    let sources = Sources(folder: URL(filePath: #filePath).deletingLastPathComponents(4))
    let stamp = Stamp(String(cString: build_stamp()))
    return BuildIdentity(
      hash: hash.digits, revision: stamp.revision ?? program.flatMap(sources.revision), compiler: compiler,
      configuration: Build.type,
      flags: [stamp.flags, String(cString: built_for())].filter { !$0.isEmpty }.joined(separator: "; "))
  }

  /// What Bench/stamp wrote into a copy of a program: it asked the program where the linker had left it.
  struct Stamp: Equatable {
    /// The revision, if that program knew it, and the options that it was built with.
    let revision: String?, flags: String

    /// Reads `REVISION|FLAGS`.
    init(_ text: String) {
      let parts = text.split(separator: "|", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      revision = parts[0].isEmpty ? nil : parts[0]
      flags = parts.count > 1 ? parts[1] : ""
    }
  }

  /// The compiler that made this file, and the one that came with it for C.
  private static var compiler: String {
    #if compiler(>=6.4)
      let swift = "Swift 6.4 or later"
    #elseif compiler(>=6.3)
      let swift = "Swift 6.3"
    #else
      let swift = "Swift 6.2"
    #endif
    return "\(swift), \(String(cString: built_with()))"
  }

  /// The folder of sources that a program was built from.
  struct Sources {
    let folder: URL

    /// Git's revision of the sources that `program` was built from; nil unless they are still what the linker
    /// saw: nothing in them is newer than the program, and the program is where the linker left it. (Sources
    /// that change while they are compiled are not noticed.)
    ///
    /// A revision that the build writes into the program would be wrong now and then: SwiftPM evaluates a
    /// manifest once for many commits, and runs its plug-ins when the list of files changes.
    func revision(of program: URL) -> String? {
      let place = program.deletingLastPathComponent().appending(path: program.lastPathComponent + ".product")
      guard program.path.hasPrefix(folder.path + "/"), FileManager.default.fileExists(atPath: place.path),
        let built = Self.changed(program), !isChanged(since: built)
      else { return nil }
      // A copy of the sources below a checkout that ignores it is of no revision.
      guard Git.line(["rev-parse", "--show-toplevel"], in: folder.path) == folder.path else { return nil }
      guard let commit = Git.line(["rev-parse", "HEAD"], in: folder.path) else { return nil }
      let status = [
        "status", "--porcelain", "--ignore-submodules=all", "--", "Package.swift", "Sources", "Bench",
      ]
      guard let changes = Git.output(status, in: folder.path) else { return nil }
      return commit + (changes.isEmpty ? "" : ", with uncommitted changes")
    }

    /// Whether a file or folder of the sources was changed after that moment.
    private func isChanged(since moment: Date) -> Bool {
      let manifest = folder.appending(path: "Package.swift")
      let roots =
        [manifest]
        + ["Sources", "Bench/GoogleBenchmarkShim", "Bench/Suites"].map { folder.appending(path: $0) }
      let all = roots.flatMap { root in
        let inside = FileManager.default.enumerator(
          at: root, includingPropertiesForKeys: [.contentModificationDateKey])
        return [root] + (inside?.compactMap { $0 as? URL } ?? [])
      }
      return all.contains { Self.changed($0).map { $0 > moment } ?? true }
    }

    private static func changed(_ file: URL) -> Date? {
      try? file.resourceValues(forKeys: [.contentModificationDateKey]).contentModificationDate
    }
  }
}

extension URL {
  fileprivate func deletingLastPathComponents(_ count: Int) -> URL {
    (0..<count).reduce(self) { url, _ in url.deletingLastPathComponent() }
  }
}

/// Git, without what a repository's own configuration would make it execute.
public enum Git {
  /// The words before the command's own, for a command that asks for nothing but what is there: no helper of
  /// a remote is started.
  public static let localWords = ["GIT_ALLOW_PROTOCOL=none"] + words

  /// The words before the command's own.
  public static let words = [
    "git", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "--no-optional-locks",
  ]

  /// A hook of git has these set, and they would count for more than the folder.
  private static let otherRepository = ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"].flatMap { ["-u", $0] }

  /// What a command prints in a folder; nil when git is absent or fails.
  static func output(_ command: [String], in folder: String) -> String? {
    guard let filters = withoutFilters(in: folder) else { return nil }
    let finished = try? FinishedProcess(otherRepository + localWords + filters + ["-C", folder] + command)
    return finished.flatMap { $0.isGood ? $0.output : nil }
  }

  /// Options that switch off the filters that a repository's configuration names: programs for files that
  /// the repository itself chooses by its attributes.
  ///
  /// - Returns: nil where one has a name that cannot be switched off, or git is absent.
  public static func withoutFilters(in folder: String) -> [String]? {
    let list = ["-C", folder, "config", "--null", "--name-only", "--get-regexp", #"^filter\."#]
    guard let found = try? FinishedProcess(otherRepository + localWords + list) else { return nil }
    let keys = found.output.split(separator: "\0").map(String.init)
    // An option ends its key at the first sign of this kind.
    guard keys.allSatisfy({ !$0.contains("=") }) else { return nil }
    return keys.flatMap { ["-c", $0 + ($0.hasSuffix(".required") ? "=false" : "=")] }
  }

  /// The first line of that; nil also where there is none.
  static func line(_ command: [String], in folder: String) -> String? {
    output(command, in: folder)?.split(separator: "\n").first.map(String.init)
  }
}
