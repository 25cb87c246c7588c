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
    var hash = WordHash()
    for file in [program].compactMap(\.self) + files.map({ URL(filePath: $0) }) {
      guard let bytes = try? Data(contentsOf: file, options: .mappedIfSafe) else { continue }
      bytes.withUnsafeBytes { hash.add($0) }
    }
    let sources = Sources(folder: URL(filePath: #filePath).deletingLastPathComponents(4))
    return BuildIdentity(
      hash: hash.digits, revision: program.flatMap(sources.revision), compiler: compiler,
      configuration:
        "\(Build.type), instruction sets \(InstructionSet.available.map(\.name).joined(separator: " "))"
    )
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

    /// Git's revision of the sources that `program` was built from; nil unless they are still what the linker saw:
    /// nothing in them is newer than the program, and the program is where the linker left it.
    ///
    /// A revision that the build writes into the program would be wrong now and then: SwiftPM evaluates a manifest once
    /// for many commits, and runs its plug-ins when the list of files changes.
    func revision(of program: URL) -> String? {
      let place = program.deletingLastPathComponent().appending(path: program.lastPathComponent + ".product")
      guard program.path.hasPrefix(folder.path + "/"), FileManager.default.fileExists(atPath: place.path),
        let built = Self.changed(program), !isChanged(since: built)
      else { return nil }
      guard let commit = Git.line(["rev-parse", "HEAD"], in: folder.path) else { return nil }
      let sources = Git.line(
        ["status", "--porcelain", "--", "Package.swift", "Sources", "Bench"], in: folder.path)
      return commit + (sources == nil ? "" : ", with uncommitted changes")
    }

    /// Whether a file or folder of the sources was changed after that moment.
    private func isChanged(since moment: Date) -> Bool {
      let manifest = folder.appending(path: "Package.swift")
      let roots = [manifest] + ["Sources", "Bench/GoogleBenchmarkShim"].map { folder.appending(path: $0) }
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
  /// The words before the command's own.
  public static let words = [
    "git", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "--no-optional-locks",
  ]

  /// The first line that a command prints in a folder; nil when git is absent, fails, or says nothing.
  static func line(_ command: [String], in folder: String) -> String? {
    guard let finished = try? FinishedProcess(words + ["-C", folder] + command), finished.isGood else {
      return nil
    }
    return finished.output.split(separator: "\n").first.map(String.init)
  }
}
