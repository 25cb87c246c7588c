import BlurRecords
import Foundation

/// The files of external kernels that the script Bench/Peers/setup has built.
enum BuiltPeers {
  /// Reads the list of built kernels that the script Bench/Peers/setup has written.
  ///
  /// - Throws: ``MeasurementError/file(path:reason:)`` if there is no such list, because the script was not
  ///   run.
  static func kernels() throws(MeasurementError) -> ExternalKernels {
    let list = try path(of: "plugins.txt")
    guard let text = try? String(contentsOfFile: list, encoding: .utf8) else {
      throw .file(path: list, reason: "cannot be read; run Bench/Peers/setup")
    }
    let lines = text.split(separator: "\n").map { $0.split(separator: " ", maxSplits: 1).map(String.init) }
    func paths(_ kind: String) -> [String] { lines.filter { $0.count == 2 && $0[0] == kind }.map { $0[1] } }
    return ExternalKernels(plugins: paths("plugin"), python: paths("python"))
  }

  /// Returns the path of the library that embeds Python.
  static func pythonBridge() throws(MeasurementError) -> String {
    try path(of: "lib/python.so", setup: "python")
  }

  /// Returns the path of a file in the folder `.build/peers`. This folder is searched for in the current
  /// folder and its parents, and then in the program's folder and its parents.
  ///
  /// - Parameter adapter: The argument for the script Bench/Peers/setup that builds the file. It is named in
  ///   the error message if the file does not exist.
  private static func path(of name: String, setup adapter: String = "") throws(MeasurementError) -> String {
    let program = Bundle.main.executableURL?.resolvingSymlinksInPath().deletingLastPathComponent()
    for start in [URL(filePath: FileManager.default.currentDirectoryPath), program].compactMap(\.self) {
      var folder = start
      while folder.path != "/" {
        let file = folder.appending(path: ".build/peers/\(name)").path
        if FileManager.default.fileExists(atPath: file) { return file }
        folder = folder.deletingLastPathComponent()
      }
    }
    let setup = adapter.isEmpty ? "Bench/Peers/setup" : "Bench/Peers/setup \(adapter)"
    throw .file(
      path: ".build/peers/\(name)",
      reason: "was not found in this folder or a folder above it, nor in a folder above the program; run "
        + "\(setup) in a clone of BlurBench, and run this command there")
  }
}
