import BlurComparison
import BlurMeasurement
import BlurRecords
import Foundation

/// This repository's revisions, each built in a worktree of its own below `.build/compare`.
enum Repository {
  /// A folder that this package alone has.
  private static let mark = "Sources/blurbench"

  /// Whether the current folder's repository is one of this package.
  static var hasSources: Bool {
    let root = try? git(Git.localWords, ["rev-parse", "--show-toplevel"])
    return root.map { FileManager.default.fileExists(atPath: $0 + "/" + mark) } ?? false
  }

  /// The full hash of a revision, or nil if there is none of that name.
  static func hash(of revision: String) -> String? {
    // A name that begins with a dash would be an option.
    guard !revision.hasPrefix("-") else { return nil }
    return try? git(
      Git.localWords, ["rev-parse", "--verify", "--quiet", "--end-of-options", revision + "^{commit}"])
  }

  /// The folder of a revision's sources.
  static func worktree(of hash: String) throws(MeasurementError) -> String {
    let root = try git(Git.localWords, ["rev-parse", "--show-toplevel"])
    let folder = "\(root)/.build/compare/\(hash.prefix(12))"
    if !FileManager.default.fileExists(atPath: folder + "/Package.swift") {
      guard (try? git(Git.localWords, ["cat-file", "-e", "\(hash):\(mark)"])) != nil else {
        throw .failed(
          "\(hash.prefix(12)) is a revision of \(root), which is not BlurBench: build your library at both "
            + "revisions, and compare OLD.so NEW.so")
      }
      // Forced: a worktree whose folder is gone is still on git's list.
      guard let filters = Git.withoutFilters(in: root) else {
        throw .failed("\(root): git's configuration has a filter whose name holds '=': remove it")
      }
      _ = try git(Git.words + filters, ["-C", root, "worktree", "add", "--force", "--detach", folder, hash])
    }
    let pins = "/Package.resolved"
    // The same versions of other packages on both sides.
    if !FileManager.default.fileExists(atPath: folder + pins) {
      try? FileManager.default.copyItem(atPath: root + pins, toPath: folder + pins)
    }
    return folder
  }

  /// Builds `blurbench` in a folder of sources.
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
