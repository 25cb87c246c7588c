import Blur

/// Writes a message for the other side of the connection. A number takes 64 bits, and its least significant
/// byte comes first. A string or a block of pixels is preceded by its length in bytes.
public struct MessageWriter: Sendable {
  /// The bytes of the message so far.
  public private(set) var bytes: [UInt8] = []

  /// Creates an empty message.
  public init() {}

  /// Appends an unsigned number to the message.
  public mutating func add(_ number: UInt64) {
    for place in 0..<8 { bytes.append(UInt8(truncatingIfNeeded: number &>> (8 * UInt64(place)))) }
  }

  /// Appends a signed number to the message.
  public mutating func add(_ number: Int) { add(UInt64(bitPattern: Int64(number))) }

  /// Appends the 64 bits of a floating-point number to the message.
  public mutating func add(_ number: Double) { add(number.bitPattern) }

  /// Appends a flag to the message, as the number 0 or 1.
  public mutating func add(_ flag: Bool) { add(flag ? 1 : 0) }

  /// Appends a string to the message: its length in bytes, followed by the string in UTF-8.
  public mutating func add(_ text: String) {
    add(text.utf8.count)
    bytes.append(contentsOf: text.utf8)
  }

  /// Appends the position and the size of a rectangle to the message.
  public mutating func add(_ region: Region) {
    for number in [region.x, region.y, region.width, region.height] { add(number) }
  }

  /// Appends a block of pixels to the message: its length in bytes, followed by the pixels of all rows
  /// without the padding between the rows.
  public mutating func add(pixels: ImageView) {
    let layout = pixels.layout
    add(layout.rowBytes * layout.height)
    bytes.reserveCapacity(bytes.count + layout.rowBytes * layout.height)
    for y in 0..<layout.height {
      // SAFETY: each row of the view holds `rowBytes` bytes, and `y` is a row of the view.
      bytes.append(contentsOf: UnsafeRawBufferPointer(start: pixels.unsafeRow(y), count: layout.rowBytes))
    }
  }
}

/// Reads a message that the other side wrote with a ``MessageWriter``. The other side is not trusted, so
/// every length is checked.
public struct MessageReader: Sendable {
  private let bytes: [UInt8]
  private var position = 0

  /// Creates a reader for a message that consists of these bytes.
  public init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// Reads the next number as 64 bits.
  ///
  /// - Throws: ``WireError`` if the message ends too early. All methods of this type throw this error.
  public mutating func bits() throws(WireError) -> UInt64 {
    let start = try skip(8)
    var number: UInt64 = 0
    for place in 0..<8 { number |= UInt64(bytes[start + place]) &<< (8 * UInt64(place)) }
    return number
  }

  /// Reads the next number as an `Int`.
  ///
  /// - Throws: ``WireError`` if the number does not fit into an `Int` of this machine, which may have only 32
  ///   bits.
  public mutating func number() throws(WireError) -> Int {
    let number = Int64(bitPattern: try bits())
    guard let number = Int(exactly: number) else {
      throw WireError("a number is too large for this machine")
    }
    return number
  }

  /// Reads the next floating-point number.
  public mutating func double() throws(WireError) -> Double { Double(bitPattern: try bits()) }

  /// Reads the next flag.
  public mutating func flag() throws(WireError) -> Bool { try bits() != 0 }

  /// Reads the next string.
  public mutating func text() throws(WireError) -> String {
    let count = try number()
    let start = try skip(count)
    return String(decoding: bytes[start..<start + count], as: UTF8.self)
  }

  /// Reads the position and size of the next rectangle.
  public mutating func region() throws(WireError) -> Region {
    Region(x: try number(), y: try number(), width: try number(), height: try number())
  }

  /// Reads the next block of pixels into the rows of `target`.
  ///
  /// - Throws: ``WireError`` if the block does not have exactly as many bytes as the rows of `target`.
  public mutating func pixels(into target: MutableImageView) throws(WireError) {
    let (rowBytes, height) = (target.layout.rowBytes, target.layout.height)
    let count = try number()
    guard count == rowBytes * height else {
      throw WireError("there are \(count) bytes of pixels, but there must be \(rowBytes * height)")
    }
    let start = try skip(count)
    bytes.withUnsafeBytes { bytes in
      for y in 0..<height {
        // SAFETY: `skip` has checked that the message holds `count` bytes after `start`, and `count` is
        // `rowBytes * height`, so the `rowBytes` bytes of row `y` lie inside the message. Each row of the
        // view has space for `rowBytes` bytes.
        target.unsafeRow(y).copyMemory(from: bytes.start + start + y * rowBytes, byteCount: rowBytes)
      }
    }
  }

  /// Moves past the next `count` bytes and returns the position where they begin.
  private mutating func skip(_ count: Int) throws(WireError) -> Int {
    guard count >= 0, count <= bytes.count - position else { throw WireError("a message ends too early") }
    defer { position += count }
    return position
  }
}

/// A violation of the protocol, in a message or in the stream of messages.
public struct WireError: Error, Equatable {
  /// One line of text that says what is wrong.
  public let description: String

  /// Creates an error with a line of text that says what is wrong.
  public init(_ description: String) { self.description = description }
}
