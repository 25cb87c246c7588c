import BlurMeasurement
import BlurRecords
import BlurServer
import Foundation

/// The git repository of this package. Each revision is built in its own worktree in `.build/compare`.
enum Repository {
  /// A folder that exists only in clones of this package's repository.
  private static let mark = "Sources/blurbench"

  /// Whether the current folder is in a repository of this package.
  static var hasSources: Bool {
    let root = try? git(Git.localWords, ["rev-parse", "--show-toplevel"])
    return root.map { FileManager.default.fileExists(atPath: $0 + "/" + mark) } ?? false
  }

  /// Returns the full hash of a revision, or nil if there is no such revision.
  static func hash(of revision: String) -> String? {
    // Git would mistake a name that begins with a dash for an option.
    guard !revision.hasPrefix("-") else { return nil }
    return try? git(
      Git.localWords, ["rev-parse", "--verify", "--quiet", "--end-of-options", revision + "^{commit}"])
  }

  /// Returns the folder with the sources of a revision, and creates it if necessary.
  static func worktree(of hash: String) throws(MeasurementError) -> String {
    let root = try git(Git.localWords, ["rev-parse", "--show-toplevel"])
    let folder = "\(root)/.build/compare/\(hash.prefix(12))"
    if !FileManager.default.fileExists(atPath: folder + "/Package.swift") {
      guard (try? git(Git.localWords, ["cat-file", "-e", "\(hash):\(mark)"])) != nil else {
        throw .failed(
          "\(hash.prefix(12)) is a revision of \(root), which is not a BlurBench repository; build your "
            + "library at both revisions, and run `blurbench compare OLD.so NEW.so`")
      }
      // When git checks out files, it may run filters, which are external programs from the git
      // configuration. The command `git worktree add` below therefore switches filters off. The command needs
      // the option `--force`, because git may still list a worktree whose folder was deleted.
      guard let filters = Git.withoutFilters(in: root) else {
        throw .failed(
          "\(root): the git configuration has a filter with '=' in its name, which cannot be switched off; "
            + "remove the filter")
      }
      _ = try git(Git.words + filters, ["-C", root, "worktree", "add", "--force", "--detach", folder, hash])
    }
    let pins = "/Package.resolved"
    // Both builds of a comparison should use the same versions of other packages. If the worktree has no file
    // with these versions (Package.resolved), it gets a copy of the file in the current checkout.
    if !FileManager.default.fileExists(atPath: folder + pins) {
      try? FileManager.default.copyItem(atPath: root + pins, toPath: folder + pins)
    }
    return folder
  }

  /// Builds `blurbench` from the sources in a folder and returns the path of the program.
  static func build(_ folder: String, say: (String) -> Void) throws(MeasurementError) -> String {
    say("building \(folder)")
    let words = [
      "swift", "build", "-c", "release", "-debug-info-format", "none", "--product", "blurbench",
      "--package-path", folder,
    ]
    let build = try FinishedProcess(words, keepsErrors: true)
    guard build.isGood else {
      let last = build.output.split(separator: "\n").suffix(12).joined(separator: "\n")
      throw .failed("\(folder) does not build:\n\(last)")
    }
    return URL(filePath: folder).path + "/.build/release/blurbench"
  }

  private static func git(_ start: [String], _ words: [String]) throws(MeasurementError) -> String {
    let answer = try FinishedProcess(start + words, keepsErrors: true)
    guard answer.isGood else {
      throw .failed("git \(words.joined(separator: " ")): \(answer.output)")
    }
    return answer.output.split(separator: "\n").last.map(String.init) ?? ""
  }
}
