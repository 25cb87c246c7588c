import Blur

/// The names of formats, kernels and methods as C strings. C code gets a name by its index. The strings are
/// never freed, so C code may keep their addresses.
enum Names {
  // SAFETY: neither the arrays nor the strings ever change.
  nonisolated(unsafe) static let formats = PixelFormat.allCases.map { copy($0.rawValue) }
  nonisolated(unsafe) static let kernels = Registry.kernels.map { copy($0.name) }
  nonisolated(unsafe) static let methods = VariableMethod.allCases.map { copy($0.rawValue) }

  /// Returns the text as a C string in memory that is never freed.
  private static func copy(_ text: String) -> UnsafePointer<CChar> {
    let characters = text.utf8CString
    // SAFETY: the memory has room for the characters and their terminating 0, and no other code has its
    // address yet.
    let copy = UnsafeMutablePointer<CChar>.allocate(capacity: characters.count)
    for (index, character) in characters.enumerated() {
      (copy + index).initialize(to: character)
    }
    return UnsafePointer(copy)
  }
}

extension [UnsafePointer<CChar>] {
  /// Returns the string at this index, or NULL if the index is out of range.
  func name(at index: Int32) -> UnsafePointer<CChar>? {
    indices.contains(Int(index)) ? self[Int(index)] : nil
  }
}
