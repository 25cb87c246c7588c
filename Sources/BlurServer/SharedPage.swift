import BlurRecords
import BlurText
import CLinux
import Foundation

/// A page of memory that a server process and its parent share through a file. The server stores the number
/// of the running case in the page. The parent can read this number even after the server has crashed.
package final class SharedPage: @unchecked Sendable {
  // `@unchecked Sendable` is justified because the shared words are C11 atomics and no other property changes
  // after `init`.
  private let words: OpaquePointer
  private let numbers: [String: Int]
  private let count: Int
  /// The file descriptor of the connection to the parent process, or −1 if this is the parent process.
  private let connection: Int32
  private static let byteCount = 4096
  /// The lowest address that Linux maps. An access below this address came from a null pointer.
  private static let leastAddress = 1 << 16

  /// The positions of the values in the shared page. `current` is the number of the case that is running, and
  /// `last` is the number of the case that ran last. `steps` counts the steps that have begun. `fault` is the
  /// first word of the report on an invalid memory access.
  private enum Word: Int32 {
    case current, steps, last, fault
  }

  /// Opens the page of memory that a server and its parent process share through the file at `path`. The file
  /// is created if it does not exist.
  ///
  /// - Parameters:
  ///   - path: The path of the file.
  ///   - names: The names of the cases, or nil if the caller refers to cases only by number. The first name
  ///     is the name of case number 1.
  ///   - connection: The file descriptor of the connection to the parent process, see ``endsPreparing()``.
  /// - Throws: ``MeasurementError/file(path:reason:)`` if the file cannot be mapped into memory.
  package init(_ path: String, names: [String]? = nil, connection: Int32 = -1) throws(MeasurementError) {
    let file = open(path, O_RDWR | O_CREAT, 0o600)
    guard file >= 0, ftruncate(file, off_t(Self.byteCount)) == 0,
      let page = mmap(nil, Self.byteCount, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0), page != MAP_FAILED
    else {
      throw .file(path: path, reason: "cannot be mapped into memory: \(String(cString: strerror(errno)))")
    }
    close(file)
    // SAFETY: a page begins at a multiple of 4096, so the words are aligned to 8 bytes. All words together
    // take less than the `byteCount` bytes that are mapped, and they stay mapped until `deinit`.
    words = shared_words_at(page)
    numbers = Dictionary(zip(names ?? [], 1...)) { first, _ in first }
    count = names?.count ?? .max
    self.connection = connection
  }

  deinit { munmap(UnsafeMutableRawPointer(words), Self.byteCount) }

  /// Returns the number of the case with this name, or 0 if there is no such case.
  package func number(of name: String) -> Int { numbers[name] ?? 0 }

  /// Records that a step of case `number` is about to begin. A step is the planning, the verification or one
  /// iteration of a case.
  package func begins(_ number: Int) {
    shared_words_add(words, Word.steps.rawValue, 1)
    shared_words_store(words, Word.current.rawValue, Int64(number))
    if number != 0 { shared_words_store(words, Word.last.rawValue, Int64(number)) }
  }

  /// Records that the step of the running case has ended.
  package func ends() { shared_words_store(words, Word.current.rawValue, 0) }

  /// Records that the preparation of the running case has ended, including its first blur. If the kernel has
  /// closed the connection to the parent process, this function ends the process. The case then still counts
  /// as running, so the parent process blames this case, and measures the other cases again.
  package func endsPreparing() {
    if connection >= 0, fcntl(connection, F_GETFD) < 0 { _exit(1) }
    ends()
  }

  /// The number of the case that is running, or 0 if no case is running.
  var current: Int { number(in: .current) }

  /// The number of the case that ran last, or 0 if no case has run.
  var last: Int { number(in: .last) }

  /// The number of steps, such as planning or one blur, that have begun so far.
  var steps: Int { Int(shared_words_load(words, Word.steps.rawValue)) }

  // MARK: Memory faults

  /// Installs a signal handler in this process. If an invalid memory access ends the process, the handler
  /// writes the address to the shared page, where the parent process can read it.
  func reportFaults() { faults_report(words, Word.fault.rawValue) }

  /// A description of the memory access that ended the server, or nil if no memory fault was reported.
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
      return "an instruction for aligned data got an unaligned address, or the address was invalid; rows may "
        + "begin at any address"
    }
    // A kernel should read only the source and write only the destination. So for a read, the message names
    // the source, and for a write, the destination. The message also names the other image if the invalid
    // address is at least as close to that image.
    let groups = access == "write" ? [FAULT_DESTINATION, FAULT_SOURCE] : [FAULT_SOURCE, FAULT_DESTINATION]
    let places = (groups + [FAULT_MASK]).map { group in
      func place(_ word: fault_word) -> Int64 {
        value(fault_word(word.rawValue + UInt32(FAULT_STEP) * group.rawValue))
      }
      let kind = group == FAULT_SOURCE ? "source" : group == FAULT_MASK ? "mask" : "destination"
      return (kind: kind, row: place(FAULT_ROW), bytes: place(FAULT_BYTES), rows: place(FAULT_ROWS))
    }.filter { $0.bytes != 0 }
    guard let first = places.first else {
      let address = UInt64(bitPattern: value(FAULT_ADDRESS))
      let kind = address < Self.leastAddress ? " (a null pointer, or an offset from a null pointer)" : ""
      return "\(access) at address 0x\(String(address, radix: 16))\(kind), far from any image"
    }
    let texts = places.filter { $0.bytes.magnitude <= first.bytes.magnitude }.map { place in
      let count = Int(place.bytes.magnitude).of("byte")
      let there = place.rows == 0 ? "" : " (where row \(place.row + place.rows) would be)"
      return "\(count) \(place.bytes > 0 ? "beyond the end" : "before the start") of row \(place.row) "
        + "of the \(place.kind)\(there)"
    }
    return "\(access) \(texts.joined(separator: ", or ")); an inaccessible page of memory is there to detect "
      + "this"
  }

  /// Returns the case number that is stored in a word, or 0 if the number is invalid. A number can be invalid
  /// because a kernel has overwritten the page.
  private func number(in word: Word) -> Int {
    let value = shared_words_load(words, word.rawValue)
    return value > 0 && value <= count ? Int(value) : 0
  }
}
