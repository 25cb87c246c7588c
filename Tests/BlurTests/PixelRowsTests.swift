import Foundation
import TestSupport
import Testing

@testable import Blur

@Suite("Pixels as spans")
struct PixelRowsTests {
  /// Returns an image with padded rows in which each byte is the low byte of its offset.
  private static func numbered(_ format: PixelFormat, width: Int, height: Int, stride: Int) throws -> Image {
    let layout = try ImageLayout(format, width: width, height: height, stride: stride)
    let bytes = (0..<layout.byteCount).map { UInt8(truncatingIfNeeded: $0) }
    return try Image(layout, copying: bytes.span.bytes)
  }

  @Test("A row consists of the bytes of its pixels, without padding, or of the wanted columns")
  func bytes() throws {
    let image = try Self.numbered(.rgba8, width: 5, height: 3, stride: 23)
    let whole = image.withRow(2, as: UInt8.self) { row in row.indices.map { row[$0] } }
    #expect(whole == (46..<66).map { UInt8($0) })
    let part = image.withRow(1, columns: 2..<4, as: UInt8.self) { row in row.indices.map { row[$0] } }
    #expect(part == (31..<39).map { UInt8($0) })
    #expect(image.withRow(1, columns: 5..<5, as: UInt8.self) { $0.count } == 0)
    #expect(image.withBytes { bytes in bytes.indices.map { bytes[$0] } } == (0..<66).map { UInt8($0) })
  }

  @Test("Components have the type of the format")
  func components() throws {
    let image = try Self.numbered(.rgb16, width: 3, height: 2, stride: 20)
    let words = image.withRow(1, columns: 1..<3, as: UInt16.self) { row in row.indices.map { row[$0] } }
    // The bytes are 26, 27, 28 and so on, so each component is two of them, the low byte first.
    #expect(words == [0x1B1A, 0x1D1C, 0x1F1E, 0x2120, 0x2322, 0x2524])
    var floats = try Image(.grayf32, width: 3, height: 2)
    floats.withMutableRow(1, as: Float.self) { row in
      for x in row.indices { row[x] = 0.5 * Float(x) }
    }
    #expect(floats.withRow(1, as: Float.self) { row in row.indices.map { row[$0] } } == [0, 0.5, 1])
    #expect(floats.withRow(0, as: Float.self) { row in row.indices.map { row[$0] } } == [0, 0, 0])
  }

  @Test("Writing changes only the wanted pixels, and no copy of the image")
  func writes() throws {
    let image = try Self.numbered(.gray8, width: 4, height: 3, stride: 7)
    var changed = image
    changed.withMutableRow(1, columns: 1..<3, as: UInt8.self) { row in
      for x in row.indices { row[x] = 200 }
    }
    let expected = (0..<18).map { (8..<10).contains($0) ? 200 : UInt8($0) }
    #expect(changed.bytes == expected && image.bytes == (0..<18).map { UInt8($0) })
    changed.withMutableBytes { bytes in bytes[17] = 9 }
    #expect(changed.bytes == Array(expected.dropLast()) + [9] && image.bytes.last == 17)
  }

  /// Reads a pixel of an image with 4x3 pixels in rows of 7 bytes.
  private static func read(y: Int = 0, columns: Range<Int>? = nil) throws {
    let image = try numbered(.gray8, width: 4, height: 3, stride: 7)
    image.withRow(y, columns: columns, as: UInt8.self) { _ in }
  }

  @Test("Rows and columns outside the image stop the program")
  func bounds() async throws {
    try Self.read(y: 2, columns: 0..<4)
    await #expect(processExitsWith: .failure) { try PixelRowsTests.read(y: 3) }
    await #expect(processExitsWith: .failure) { try PixelRowsTests.read(y: -1) }
    await #expect(processExitsWith: .failure) { try PixelRowsTests.read(columns: 0..<5) }
    await #expect(processExitsWith: .failure) { try PixelRowsTests.read(columns: -1..<2) }
  }

  @Test("Another type of component stops the program, and so do rows at odd addresses")
  func types() async throws {
    await #expect(processExitsWith: .failure) {
      try Image(.gray8, width: 8, height: 1).withRow(0, as: UInt16.self) { _ in }
    }
    await #expect(processExitsWith: .failure) {
      try Image(.gray16, width: 8, height: 1).withRow(0, as: Float.self) { _ in }
    }
    await #expect(processExitsWith: .failure) {
      var image = try PixelRowsTests.numbered(.gray16, width: 4, height: 2, stride: 9)
      image.withMutableRow(1, as: UInt16.self) { _ in }
    }
  }

  @Test("Arrays of components become images, and plans blur them")
  func arrays() throws {
    let layout = try ImageLayout(.gray16, width: 40, height: 3, stride: 82)
    let words = (0..<123).map { UInt16($0 * 500) }
    let image = try Image(layout, copying: words.span)
    #expect(image.withRow(2, columns: 3..<4, as: UInt16.self) { $0[0] } == words[2 * 41 + 3])
    let plan = try BlurPlan(for: layout, sigma: 2)
    var expected = try Image(layout)
    try plan.blur(image, into: &expected)
    var blurred = [UInt16](repeating: 0, count: 123)
    do {
      var span = blurred.mutableSpan
      try plan.blur(words.span, into: &span, layout)
    }
    #expect(try Image(layout, copying: blurred.span) == expected && expected != image)

    let bytes = [UInt8](repeating: 1, count: 244)
    #expect(throws: BlurError.bufferTooSmall(of: "source", needed: 244, found: 243)) {
      try Image(layout, copying: Array(bytes.dropLast()).span)
    }
    let mismatch = BlurError.layoutMismatch(
      of: "source", expected: "gray16", found: "float components of 32 bits")
    #expect(throws: mismatch) { try Image(layout, copying: [Float](repeating: 0, count: 70).span) }
    var floats = [Float](repeating: 0, count: 70)
    let source = floats
    #expect(throws: mismatch) {
      var span = floats.mutableSpan
      try plan.blur(source.span, into: &span, layout)
    }
  }

  @Test("A view needs a buffer with all bytes of its layout")
  func buffers() throws {
    let layout = try ImageLayout(.rgb8, width: 5, height: 4, stride: 17)
    var bytes = [UInt8](repeating: 7, count: 3 * 17 + 15)
    bytes.withUnsafeMutableBytes { bytes in
      let short = UnsafeMutableRawBufferPointer(rebasing: bytes.dropLast())
      let error = BlurError.bufferTooSmall(of: "buffer", needed: 66, found: 65)
      #expect(throws: error) { try ImageView(base: UnsafeRawBufferPointer(short), layout: layout) }
      #expect(throws: error) { try MutableImageView(base: short, layout: layout) }
      #expect(throws: Never.self) {
        let view = try MutableImageView(base: bytes, layout: layout)
        view.withMutableRow(3, columns: 4..<5, as: UInt8.self) { row in row[2] = 8 }
      }
    }
    #expect(bytes == [UInt8](repeating: 7, count: 65) + [8])
  }
}

@Suite("Strict memory safety")
struct StrictMemorySafetyTests {
  /// Returns the compiler's warnings about a program, with the option `-strict-memory-safety`.
  private static func warnings(_ program: String) throws -> String {
    try Scratch.folder { folder in
      let file = folder.appending(path: "main.swift")
      try program.write(to: file, atomically: true, encoding: .utf8)
      let package = Program.package.path
      let run = try Program([
        "swiftc", "-typecheck", "-swift-version", "6", "-strict-memory-safety", "-I",
        Program.buildFolder.appending(path: "Modules").path, "-I", "\(package)/Sources/CBlurVectors/include",
        file.path,
      ])
      #expect(run.code == 0, "\(run.printed)")
      return run.printed
    }
  }

  /// The manifest of the examples has this option, too, and the test of the examples builds all of them.
  @Test("The examples use no unsafe constructs", arguments: ["soften", "server"])
  func examples(name: String) throws {
    let path = "docs/Examples/Swift/Sources/\(name)/main.swift"
    let program = try String(contentsOf: Program.package.appending(path: path), encoding: .utf8)
    #expect(!program.contains("unsafe"))
    #expect(try Self.warnings(program).isEmpty)
  }

  @Test("The whole safe surface compiles without warnings, and views do not")
  func surface() throws {
    let safe = """
      import Blur
      let numbers = [UInt8](repeating: 7, count: 64 * 48 * 4)
      var image = try Image(ImageLayout(.rgba8, width: 64, height: 48), copying: numbers.span)
      image.withMutableRow(3, as: UInt8.self) { row in row[0] = 9 }
      let bar = Region(x: 0, y: 0, width: 64, height: 8)
      try image.blur(sigma: 2, region: bar)
      let plan = try BlurPlan(for: image.layout, BlurParameters(sigma: Sigma(2), region: bar))
      var result = image
      try plan.blur(image, into: &result, at: bar)
      let bytes = result.bytes
      var target = [UInt8](repeating: 0, count: 64 * 8 * 4)
      do {
        var span = target.mutableSpan
        try plan.blur(bytes.span, into: &span, ImageLayout(.rgba8, width: 64, height: 8))
      }
      print(plan, result == image, result.withRow(0, as: UInt8.self) { $0[0] })
      print(result.withBytes { $0.count }, Set(target).count)
      """
    #expect(try Self.warnings(safe).isEmpty)
    for unsafe in ["image.withView { _ in }", "image.withMutableView { _ = $0.unsafeRow(0) }"] {
      let warnings = try Self.warnings(safe + "\n" + unsafe)
      #expect(warnings.contains("uses unsafe constructs"), "\(unsafe): \(warnings)")
    }
  }
}
