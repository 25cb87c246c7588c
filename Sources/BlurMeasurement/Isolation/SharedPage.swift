import BlurRecords
import BlurText
import BlurVerification
import CSharedWords
import Foundation

/// A page of memory that two processes share through a file: the worker says which case runs, and its parent
/// reads it even after the worker is dead.
final class SharedPage: ProgressObserver, @unchecked Sendable {
  // `@unchecked`: the words are C11 atomics, and nothing else changes after `init`.
  private let words: OpaquePointer
  private let numbers: [String: Int]
  private let count: Int
  private static let byteCount = 4096
  /// Linux maps nothing below: what is there was reached from a null pointer.
  private static let leastAddress = 1 << 16

  /// The places of the words: the case that runs, how many steps have begun, the case that ran last, and
  /// where the report of a fault of memory begins.
  private enum Word: Int32 {
    case current, steps, last, fault
  }

  /// Opens the page in the file at `path`, made if it is not there.
  ///
  /// - Parameter names: the cases, in the order of their numbers from 1.
  /// - Throws: ``MeasurementError/file(path:reason:)``.
  convenience init(_ path: String, names: [String]) throws(MeasurementError) {
    try self.init(path, count: names.count, numbers: Dictionary(zip(names, 1...)) { first, _ in first })
  }

  /// Opens a page for `count` cases, which only have names where `numbers` tells them.
  init(_ path: String, count: Int, numbers: [String: Int] = [:]) throws(MeasurementError) {
    let file = open(path, O_RDWR | O_CREAT, 0o600)
    guard file >= 0, ftruncate(file, off_t(Self.byteCount)) == 0,
      let page = mmap(nil, Self.byteCount, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0), page != MAP_FAILED
    else { throw .file(path: path, reason: "cannot be shared: \(String(cString: strerror(errno)))") }
    close(file)
    // SAFETY: a page begins at a multiple of 8, and has room for all words.
    words = shared_words_at(page)
    self.numbers = numbers
    self.count = count
  }

  deinit { munmap(UnsafeMutableRawPointer(words), Self.byteCount) }

  func number(of name: String) -> Int { numbers[name] ?? 0 }

  func begins(_ number: Int) {
    shared_words_add(words, Word.steps.rawValue, 1)
    shared_words_store(words, Word.current.rawValue, Int64(number))
    if number != 0 { shared_words_store(words, Word.last.rawValue, Int64(number)) }
  }

  func ends() { shared_words_store(words, Word.current.rawValue, 0) }

  /// The number of the case that runs, or 0.
  var current: Int { number(in: .current) }

  /// The number of the case that ran last, or 0.
  var last: Int { number(in: .last) }

  /// Grows with every step that begins.
  var steps: Int { Int(shared_words_load(words, Word.steps.rawValue)) }

  // MARK: Faults

  /// Lets this process report here what it touched, should a fault of memory end it.
  func reportFaults() { faults_report(words, Word.fault.rawValue) }

  /// What the worker touched that a fault of memory ended, in words; nil where there was none.
  var fault: String? {
    func value(_ word: fault_word) -> Int64 {
      shared_words_load(words, Word.fault.rawValue + Int32(word.rawValue))
    }
    let access: String
    switch value(FAULT_ACCESS) {
    case 1: access = "read"
    case 2: access = "write"
    case 3: access = "access"
    default: return nil
    }
    guard value(FAULT_STRANGE) == 0 else {
      return "an aligned load or store at an unaligned address, or an address that no memory can have; "
        + "rows may begin anywhere"
    }
    // Kernels read the source and write the destination: the one may lie just beyond the other.
    let kinds: [UnreadableRows] = access == "write" ? [.destination, .source] : [.source, .destination]
    let places = kinds.map { kind in
      func place(_ word: fault_word) -> Int64 {
        value(fault_word(word.rawValue + UInt32(FAULT_STEP * kind.rawValue)))
      }
      return (kind: kind, row: place(FAULT_ROW), bytes: place(FAULT_BYTES), rows: place(FAULT_ROWS))
    }.filter { $0.bytes != 0 }
    guard let first = places.first else {
      let address = UInt64(bitPattern: value(FAULT_ADDRESS))
      let kind = address < Self.leastAddress ? " (a null pointer, or an index from one)" : ""
      return "\(access) at address 0x\(String(address, radix: 16))\(kind), far from any image"
    }
    let texts = places.filter { $0.bytes.magnitude <= first.bytes.magnitude }.map { place in
      let count = Int(place.bytes.magnitude).of("byte")
      let there = place.rows == 0 ? "" : " (where row \(place.row + place.rows) would be)"
      return "\(count) \(place.bytes > 0 ? "beyond the end" : "before the start") of row \(place.row) "
        + "of the \(place.kind)\(there)"
    }
    return "\(access) \(texts.joined(separator: ", or ")): a page that cannot be touched is there"
  }

  /// A worker that writes anywhere may have spoiled the page: what is no case's number is 0.
  private func number(in word: Word) -> Int {
    let value = shared_words_load(words, word.rawValue)
    return value > 0 && value <= count ? Int(value) : 0
  }
}
