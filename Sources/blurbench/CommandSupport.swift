import ArgumentParser
import BlurRecords
import BlurText
import Foundation

extension ExitCode {
  /// The exit code if a check failed, a result was wrong, or a regression was found.
  static let checkFailed = ExitCode(3)
  /// The exit code if the result is missing or undecided, for example because every case was skipped, or
  /// because the measurements were too noisy.
  static let cannotTell = ExitCode(4)
}

/// A check for the paths of files that a verb writes only when it has finished its work.
enum OutputPath {
  /// Throws an error if `file` cannot be written. The work before the file is written takes minutes, so verbs
  /// call this function before they begin.
  static func check(_ file: String) throws {
    let folder = URL(filePath: file).deletingLastPathComponent().path
    guard !file.isEmpty, !TextFile.isFolder(file) else {
      throw ValidationError("'\(file)' is not the name of a file")
    }
    guard TextFile.isFolder(folder), FileManager.default.isWritableFile(atPath: folder) else {
      throw ValidationError("\(file): the folder \(folder) does not exist or cannot be written to")
    }
  }

  /// Throws an error if `file` is one of the files that the verb reads, because writing it would destroy what
  /// it contains.
  static func check(_ file: String, isNotAmong inputs: [String]) throws {
    let real = { URL(filePath: $0).resolvingSymlinksInPath().path }
    if let input = inputs.first(where: { real($0) == real(file) }) {
      throw ValidationError("\(input) would be overwritten, but it is an input; choose another output file")
    }
  }
}
