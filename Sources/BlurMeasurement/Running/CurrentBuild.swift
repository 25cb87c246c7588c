import Blur
import BlurRecords
import BlurServer
import CLinux
import Foundation

extension BuildIdentity {
  /// The version of BlurBench, as it appears in the changelog. It ends in `-dev` until the version is tagged.
  public static let version = "0.1.0-dev"

  /// Returns the identity of the program that is running.
  ///
  /// - Parameter files: The paths of the files with external kernels. They count as part of the build because
  ///   their code is measured too.
  public static func current(files: [String] = []) -> BuildIdentity {
    let program = Bundle.main.executableURL?.resolvingSymlinksInPath()
    var hash = FNV1a()
    for file in [program].compactMap(\.self) + files.map({ URL(filePath: $0) }) {
      // If a file cannot be read, the hash is random, so that the build never counts as equal to another
      // build.
      guard let bytes = try? Data(contentsOf: file, options: .mappedIfSafe) else {
        hash = FNV1a(of: UUID().uuidString)
        break
      }
      bytes.withUnsafeBytes { hash.add($0) }
    }
    let folder = (0..<4).reduce(URL(filePath: #filePath)) { url, _ in url.deletingLastPathComponent() }
    let sources = Sources(folder: folder)
    let stamp = Stamp(String(cString: build_stamp()))
    return BuildIdentity(
      hash: hash.digits, revision: stamp.revision ?? program.flatMap(sources.revision), compiler: compiler,
      configuration: currentConfiguration,
      flags: [stamp.flags, String(cString: built_for())].filter { !$0.isEmpty }.joined(separator: "; "))
  }

  /// The hash of the program and, if it is known, the git revision of its sources, as text.
  public var short: String { "program \(hash)" + (revision.map { ", BlurBench revision \($0)" } ?? "") }

  /// The git revision and the compiler options of a build, as a string in the program. The script Bench/stamp
  /// writes this string into copies of the program, because a program that is not in its build folder cannot
  /// find these facts out by itself.
  struct Stamp: Equatable {
    /// The git revision of the program's sources (nil if it is unknown), and the compiler options.
    let revision: String?, flags: String

    /// Parses a string of the form `REVISION|FLAGS`.
    init(_ text: String) {
      let parts = text.split(separator: "|", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      revision = parts[0].isEmpty ? nil : parts[0]
      flags = parts.count > 1 ? parts[1] : ""
    }
  }

  /// The versions of the Swift compiler and the C compiler that compiled this program.
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

  /// The folder with the sources from which a program was built.
  struct Sources {
    let folder: URL

    /// Returns the git revision of the sources from which `program` was built. The result is nil if the
    /// program is no longer in its build folder, or if a source file is newer than the program. Changes to
    /// source files during the compilation are not noticed.
    ///
    /// The revision is determined when the program runs. A revision that the build wrote into the program
    /// would sometimes be out of date, because SwiftPM does not reevaluate the manifest after each commit. It
    /// also reruns its plug-ins only when the list of files changes.
    func revision(of program: URL) -> String? {
      let place = program.deletingLastPathComponent().appending(path: program.lastPathComponent + ".product")
      guard program.path.hasPrefix(folder.path + "/"), FileManager.default.fileExists(atPath: place.path),
        let built = Self.changed(program), !isChanged(of: program, since: built)
      else { return nil }
      // The sources may be an unpacked copy without a git repository, inside the checkout of another project.
      // The revision of the other project would be wrong for these sources.
      guard Git.line(["rev-parse", "--show-toplevel"], in: folder.path) == folder.path else { return nil }
      guard let commit = Git.line(["rev-parse", "HEAD"], in: folder.path) else { return nil }
      let status = [
        "status", "--porcelain", "--ignore-submodules=all", "--", "Package.swift", "Sources", "Bench",
      ]
      guard let changes = Git.output(status, in: folder.path) else { return nil }
      return commit + (changes.isEmpty ? "" : ", with uncommitted changes")
    }

    /// Returns whether a file or folder of the sources of `program` has changed since a given moment.
    private func isChanged(of program: URL, since moment: Date) -> Bool {
      // Only the program `lab` is built from the sources of the lab.
      let lab = program.lastPathComponent == "lab" ? ["Bench/Lab/Sources"] : []
      let manifest = folder.appending(path: "Package.swift")
      let roots =
        [manifest]
        + (["Sources", "Bench/GoogleBenchmark", "Bench/Suites"] + lab).map { folder.appending(path: $0) }
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

/// Runs git without letting it execute the programs that are specified in the repository's configuration.
public enum Git {
  /// The first words of the command line for a git command that works only with local data. They are
  /// ``words``, preceded by a setting that forbids every network protocol, so that git starts no helper for a
  /// remote repository.
  public static let localWords = ["GIT_ALLOW_PROTOCOL=none"] + words

  /// The first words of the command line for every git command. They switch off hooks and the file system
  /// monitor.
  public static let words = [
    "git", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "--no-optional-locks",
  ]

  /// Options for the program `env` that remove git's environment variables. If a git hook has started this
  /// process, these variables name the repository of the hook, and git would use it instead of the given
  /// folder.
  private static let otherRepository = ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"].flatMap { ["-u", $0] }

  /// Runs a git command in a folder and returns its output, or nil if git is missing or fails.
  static func output(_ command: [String], in folder: String) -> String? {
    guard let filters = withoutFilters(in: folder) else { return nil }
    let finished = try? FinishedProcess(otherRepository + localWords + filters + ["-C", folder] + command)
    return finished.flatMap { $0.isGood ? $0.output : nil }
  }

  /// Returns git options that switch off all filters in a repository's configuration. A filter is a program
  /// that git runs on the files that the repository's attributes select.
  ///
  /// - Returns: The options, or nil if git is missing or a filter has a name that cannot be used in an
  ///   option.
  public static func withoutFilters(in folder: String) -> [String]? {
    let list = ["-C", folder, "config", "--null", "--name-only", "--get-regexp", #"^filter\."#]
    guard let found = try? FinishedProcess(otherRepository + localWords + list) else { return nil }
    let keys = found.output.split(separator: "\0").map(String.init)
    // In git's option `-c key=value`, the key ends at the first equals sign. It is therefore impossible to
    // set a key that itself contains an equals sign.
    guard keys.allSatisfy({ !$0.contains("=") }) else { return nil }
    return keys.flatMap { ["-c", $0 + ($0.hasSuffix(".required") ? "=false" : "=")] }
  }

  /// Returns the first line that a git command prints, or nil if it prints nothing or fails.
  static func line(_ command: [String], in folder: String) -> String? {
    output(command, in: folder)?.split(separator: "\n").first.map(String.init)
  }
}
