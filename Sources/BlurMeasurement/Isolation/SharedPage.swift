import BlurRecords
import Foundation

/// A page of memory that two processes share through a file: the worker says which case runs, and the one that
/// watches reads it even after the worker is dead.
final class SharedPage: ProgressObserver, @unchecked Sendable {
  // `@unchecked`: one thread of the worker writes, the watcher reads whole words that may be a moment old.
  private let words: UnsafeMutablePointer<Int>
  private let numbers: [String: Int]
  private static let byteCount = 4096

  /// Opens the page in the file at `path`, made if it is not there.
  ///
  /// - Parameter names: the cases, in the order of their numbers from 1.
  /// - Throws: ``MeasurementError/file(path:reason:)``.
  init(_ path: String, names: [String]) throws(MeasurementError) {
    let file = open(path, O_RDWR | O_CREAT, 0o600)
    guard file >= 0, ftruncate(file, off_t(Self.byteCount)) == 0,
      let page = mmap(nil, Self.byteCount, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0), page != MAP_FAILED
    else { throw .file(path: path, reason: "cannot be shared: \(String(cString: strerror(errno)))") }
    close(file)
    words = page.bindMemory(to: Int.self, capacity: Self.byteCount / MemoryLayout<Int>.size)
    numbers = Dictionary(zip(names, 1...)) { first, _ in first }
  }

  deinit { munmap(words, Self.byteCount) }

  func number(of name: String) -> Int { numbers[name] ?? 0 }

  func begins(_ number: Int) {
    // SAFETY: the page has room for three words.
    words[1] &+= 1
    words[0] = number
    if number != 0 { words[2] = number }
  }

  func ends() { words[0] = 0 }

  /// The number of the case that runs, or 0.
  var current: Int { words[0] }

  /// The number of the case that ran last, or 0.
  var last: Int { words[2] }

  /// Grows with every step that begins.
  var steps: Int { words[1] }
}
