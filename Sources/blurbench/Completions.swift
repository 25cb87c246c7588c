import ArgumentParser
import Blur
import BlurRecords
import BlurScenes
import Foundation

/// Shell completions for options and arguments that have a known set of values.
extension CompletionKind {
  /// Completes a comma-separated list of these words. A word that is already in the list is not offered
  /// again.
  static func words(_ all: [String]) -> CompletionKind {
    .custom { _, _, prefix in
      let done = prefix.lastIndex(of: ",").map { prefix[...$0] } ?? ""
      let chosen = Set(done.split(separator: ",").map(String.init))
      return all.filter { !chosen.contains($0) }.map { done + $0 }
    }
  }

  /// Completes one of these words, or a file whose name has one of these extensions.
  static func words(_ all: @escaping @Sendable () -> [String], orFiles endings: [String]) -> CompletionKind {
    .custom { _, _, prefix in all() + files(prefix, endings) }
  }

  static let kernels = words(Registry.kernels.map(\.name))
  static let instructionSets = words(["best", "all"] + InstructionSet.allCases.map(\.name))
  static let formats = words(PixelFormat.allCases.map(\.rawValue))
  static let edges = words(EdgeMode.allCases.map(\.name))
  static let threads = list(["1", "all"])
  /// Completes the name of a suite, or a YAML file.
  static let suite = words({ Suite.builtIn }, orFiles: ["yml", "yaml"])
  static let baselines = custom { _, _, _ in SavedRuns()?.names ?? [] }
  /// Completes an argument of `blurbench compare`, which names one of the two versions to compare. The
  /// completion suggests saved baselines, files and folders. Git revisions are allowed too, but they are not
  /// suggested, because only git knows their names.
  static let side = words({ SavedRuns()?.names ?? [] }, orFiles: ["csv", "so", "dylib", "py", ""])
  static let records = file(extensions: ["csv"])
  /// Completes the name of an image file. Only formats that blurbench can both read and write are suggested.
  static let picture = file(extensions: ["png", "pgm", "ppm", "pnm", "pam", "pfm"])

  /// Returns the shell completion for the option that takes values of one case dimension, such as the pixel
  /// format.
  static func dimension(_ dimension: CaseDimension) -> CompletionKind {
    let all = dimension.words(Vocabulary(kernels: Registry.all.map(\.name), catalog: .interface))
    return all.isEmpty ? .default : words(all)
  }

  /// Returns the files and folders whose paths complete `prefix`. Files are offered only if they have one of
  /// the extensions in `endings`.
  private static func files(_ prefix: String, _ endings: [String]) -> [String] {
    let folder = prefix.lastIndex(of: "/").map { String(prefix[...$0]) } ?? ""
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.isEmpty ? "." : folder)) ?? []
    return names.sorted().filter { !$0.hasPrefix(".") }.compactMap { name in
      var isFolder: ObjCBool = false
      guard FileManager.default.fileExists(atPath: folder + name, isDirectory: &isFolder) else { return nil }
      if isFolder.boolValue { return folder + name + "/" }
      return endings.contains(URL(filePath: name).pathExtension) ? folder + name : nil
    }
  }
}
