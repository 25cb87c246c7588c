import Foundation

/// Finds the CSV files that a command line names.
public enum RecordPaths {
  /// Returns the files among `paths`, and for each folder the `.csv` files directly inside it, without
  /// duplicates.
  ///
  /// - Returns: The path of each file, and whether the command line named the file itself rather than its
  ///   folder.
  /// - Throws: ``MeasurementError/file(path:reason:)`` if a folder cannot be listed or contains no `.csv`
  ///   file.
  public static func tables(
    in paths: [String]
  ) throws(MeasurementError) -> [(path: String, isNamed: Bool)] {
    var found: [(path: String, isNamed: Bool)] = []
    var seen: Set<String> = []
    for path in paths {
      let inside = try TextFile.isFolder(path) ? tables(inFolder: path) : nil
      for file in inside ?? [path]
      where seen.insert(URL(filePath: file).resolvingSymlinksInPath().path).inserted {
        found.append((file, inside == nil))
      }
    }
    return found
  }

  private static func tables(inFolder folder: String) throws(MeasurementError) -> [String] {
    let names: [String]
    do { names = try FileManager.default.contentsOfDirectory(atPath: folder) } catch {
      throw .file(path: folder, reason: "cannot be listed: \(error.localizedDescription)")
    }
    let tables = names.filter { $0.hasSuffix(".csv") }.sorted()
    guard !tables.isEmpty else {
      throw .file(path: folder, reason: "contains no .csv file (subfolders are not searched)")
    }
    return tables.map { URL(filePath: folder).appending(path: $0).relativePath }
  }
}
