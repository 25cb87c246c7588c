import Blur

/// Bytes for the other side: numbers have 64 bits, low byte first; texts and pixels follow their number of
/// bytes.
public struct MessageWriter: Sendable {
  /// What was added so far.
  public private(set) var bytes: [UInt8] = []

  /// An empty message.
  public init() {}

  /// Adds a number as its bits.
  public mutating func add(_ number: UInt64) {
    for place in 0..<8 { bytes.append(UInt8(truncatingIfNeeded: number &>> (8 * UInt64(place)))) }
  }

  /// Adds a number.
  public mutating func add(_ number: Int) { add(UInt64(bitPattern: Int64(number))) }

  /// Adds a number.
  public mutating func add(_ number: Double) { add(number.bitPattern) }

  /// Adds 0 or 1.
  public mutating func add(_ flag: Bool) { add(flag ? 1 : 0) }

  /// Adds a text.
  public mutating func add(_ text: String) {
    add(text.utf8.count)
    bytes.append(contentsOf: text.utf8)
  }

  /// Adds a rectangle's place and size.
  public mutating func add(_ region: Region) {
    for number in [region.x, region.y, region.width, region.height] { add(number) }
  }

  /// Adds the pixels of all rows, without the padding between them.
  public mutating func add(pixels: ImageView) {
    let layout = pixels.layout
    add(layout.rowBytes * layout.height)
    bytes.reserveCapacity(bytes.count + layout.rowBytes * layout.height)
    for y in 0..<layout.height {
      // SAFETY: a row of the view holds this many bytes.
      bytes.append(contentsOf: UnsafeRawBufferPointer(start: pixels.row(y), count: layout.rowBytes))
    }
  }
}

/// Reads what ``MessageWriter`` wrote. Nothing in a message is trusted.
public struct MessageReader: Sendable {
  private let bytes: [UInt8]
  private var position = 0

  /// Begins a message.
  public init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// The next number, as its bits.
  ///
  /// - Throws: ``WireError`` where the message is over, as all of these do.
  public mutating func bits() throws(WireError) -> UInt64 {
    let start = try skip(8)
    var number: UInt64 = 0
    for place in 0..<8 { number |= UInt64(bytes[start + place]) &<< (8 * UInt64(place)) }
    return number
  }

  /// The next number, if it is one that this machine can count to.
  public mutating func number() throws(WireError) -> Int {
    let number = Int64(bitPattern: try bits())
    guard let number = Int(exactly: number) else { throw WireError("a number is beyond this machine's") }
    return number
  }

  /// The next number.
  public mutating func double() throws(WireError) -> Double { Double(bitPattern: try bits()) }

  /// The next flag.
  public mutating func flag() throws(WireError) -> Bool { try bits() != 0 }

  /// The next text.
  public mutating func text() throws(WireError) -> String {
    let count = try number()
    let start = try skip(count)
    return String(decoding: bytes[start..<start + count], as: UTF8.self)
  }

  /// The next rectangle.
  public mutating func region() throws(WireError) -> Region {
    Region(x: try number(), y: try number(), width: try number(), height: try number())
  }

  /// Fills the rows of `target` with the next pixels.
  public mutating func pixels(into target: MutableImageView) throws(WireError) {
    let (rowBytes, height) = (target.layout.rowBytes, target.layout.height)
    let count = try number()
    guard count == rowBytes * height else {
      throw WireError("\(count) bytes of pixels: must be \(rowBytes * height)")
    }
    let start = try skip(count)
    bytes.withUnsafeBytes { bytes in
      for y in 0..<height {
        // SAFETY: the message has `count` bytes from `start` on, and a row of the view `rowBytes`.
        target.row(y).copyMemory(from: bytes.start + start + y * rowBytes, byteCount: rowBytes)
      }
    }
  }

  /// The place of the next `count` bytes.
  private mutating func skip(_ count: Int) throws(WireError) -> Int {
    guard count >= 0, count <= bytes.count - position else { throw WireError("a message ends too early") }
    defer { position += count }
    return position
  }
}

/// What is wrong with a message or a stream of them.
public struct WireError: Error, Equatable {
  /// One line.
  public let description: String

  /// Says what is wrong.
  public init(_ description: String) { self.description = description }
}
