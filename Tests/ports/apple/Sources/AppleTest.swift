// Tests BlurApple with the frameworks of the system, or on Linux with the stubs in Tests/ports/stubs/swift.
// The program prints what fails, and then exits with code 1.
import Accelerate
import Blur
import BlurApple
import CoreGraphics
import CoreVideo
import Foundation

#if canImport(UIKit)
  import UIKit
#endif
#if canImport(AppKit)
  import AppKit
#endif

@main
struct AppleTest {
  static let width = 48, height = 12, sigma = 3.0
  /// BGRA in memory, which is what iOS draws into.
  static let bgra =
    CGImageAlphaInfo.premultipliedFirst.rawValue | CGBitmapInfo.byteOrder32Little.rawValue
  private var failures = 0

  static func main() throws {
    var test = AppleTest()
    try test.storedPixels()
    try test.deepPixels()
    try test.croppedAndPaddedPixels()
    try test.straightAlpha()
    try test.constantEdges()
    try test.pixelBuffers()
    try test.unsupportedPixelBuffers()
    try test.vImageBuffers()
    try test.platformImages()
    print(test.failures == 0 ? "BlurApple: all tests passed" : "BlurApple: \(test.failures) tests failed")
    exit(test.failures == 0 ? 0 : 1)
  }

  private mutating func expect(_ isTrue: Bool, _ what: String, line: Int = #line) {
    guard !isTrue else { return }
    failures += 1
    print("line \(line): \(what)")
  }

  /// The value at column `x` of a step from 0 to 255 after a Gaussian blur: the integral of the Gaussian.
  static func edge(at x: Int, between black: Int = 23) -> Double {
    127.5 * (1 + erf((Double(x - black) - 0.5) / (sigma * 2.0.squareRoot())))
  }

  /// Four bytes per pixel, in rows of `stride` bytes: `left` in columns up to 23, and `right` in the others.
  /// The bytes between the rows are 7.
  static func step(_ left: [UInt8], _ right: [UInt8], stride: Int = width * 4) -> [UInt8] {
    let row = (0..<width).flatMap { $0 <= 23 ? left : right }
    let padding = [UInt8](repeating: 7, count: stride - width * 4)
    return (0..<height).flatMap { _ in row + padding }
  }

  static func image(_ bytes: [UInt8], info: UInt32 = bgra, stride: Int = width * 4) throws -> CGImage {
    let space = CGColorSpace(name: CGColorSpace.displayP3)!
    let provider = CGDataProvider(data: NSData(bytes: bytes, length: bytes.count) as CFData)!
    return CGImage(
      width: width, height: height, bitsPerComponent: 8, bitsPerPixel: 32, bytesPerRow: stride, space: space,
      bitmapInfo: CGBitmapInfo(rawValue: info), provider: provider, decode: nil, shouldInterpolate: true,
      intent: .perceptual)!
  }

  /// The red, green, blue and alpha of each pixel in the middle row.
  static func middle(_ image: CGImage) -> [[Double]] {
    let bytes = image.dataProvider!.data! as NSData
    let isFirst = image.alphaInfo == .first || image.alphaInfo == .premultipliedFirst
    let isReversed = image.byteOrderInfo == .order32Little
    // The places of red, green, blue and alpha in a pixel.
    let places =
      isFirst ? isReversed ? [2, 1, 0, 3] : [1, 2, 3, 0] : isReversed ? [3, 2, 1, 0] : [0, 1, 2, 3]
    return (0..<image.width).map { x in
      let at = image.height / 2 * image.bytesPerRow + x * 4
      return places.map { Double(bytes.bytes.load(fromByteOffset: at + $0, as: UInt8.self)) }
    }
  }

  /// Whether a step from black to white between columns `black` and `black` + 1 of one channel is blurred.
  static func isEdge(_ values: [Double], between black: Int = 23) -> Bool {
    // The kernel may be off by one level, and rounding adds half a level.
    values.indices.allSatisfy { abs(values[$0] - edge(at: $0, between: black)) <= 1.5 }
  }

  mutating func storedPixels() throws {
    // The image has an edge only in red. Green and blue are constant, and alpha is opaque.
    let sharp = try Self.image(Self.step([0, 80, 0, 255], [0, 80, 255, 255]))
    let soft = try sharp.blurred(sigma: Self.sigma)
    let row = Self.middle(soft)
    expect(Self.isEdge(row.map { $0[0] }), "red is not blurred: \(row)")
    expect(row.allSatisfy { $0[1] == 80 && $0[2] == 0 && $0[3] == 255 }, "other channels changed: \(row)")
    expect(
      soft.width == Self.width && soft.height == Self.height && soft.bitmapInfo == sharp.bitmapInfo
        && soft.colorSpace?.name == CGColorSpace.displayP3 && soft.shouldInterpolate
        && soft.renderingIntent == .perceptual, "a property of the image was lost")
  }

  /// A step from 255 to 256 in 16 bits. With the wrong order of bytes, it would be one from 65280 to 1.
  mutating func deepPixels() throws {
    let row = (0..<Self.width).flatMap { [UInt16](repeating: $0 <= 23 ? 255 : 256, count: 4) }
    let data = row.withUnsafeBytes { NSData(bytes: $0.baseAddress, length: $0.count) }
    let info = CGImageAlphaInfo.premultipliedLast.rawValue | CGBitmapInfo.byteOrder16Little.rawValue
    let sharp = CGImage(
      width: Self.width, height: 1, bitsPerComponent: 16, bitsPerPixel: 64, bytesPerRow: data.length,
      space: CGColorSpace(name: CGColorSpace.displayP3)!, bitmapInfo: CGBitmapInfo(rawValue: info),
      provider: CGDataProvider(data: data as CFData)!, decode: nil, shouldInterpolate: true,
      intent: .defaultIntent)!
    let soft = try sharp.blurred(sigma: Self.sigma)
    let bytes = soft.dataProvider!.data! as NSData
    let values = (0..<row.count).map { bytes.bytes.load(fromByteOffset: 2 * $0, as: UInt16.self) }
    expect(soft.bitsPerComponent == 16, "the image has \(soft.bitsPerComponent) bits per component")
    // The error bound of one level is 257 in 16 bits.
    expect(values.allSatisfy { abs(Int($0) - 255) <= 258 }, "\(values)")
  }

  mutating func croppedAndPaddedPixels() throws {
    let padded = try Self.image(
      Self.step([0, 0, 0, 255], [0, 0, 255, 255], stride: 224), stride: 224)
    let soft = try padded.blurred(sigma: Self.sigma)
    expect(Self.isEdge(Self.middle(soft).map { $0[0] }), "padding: \(Self.middle(soft))")
    expect(soft.colorSpace?.name == CGColorSpace.displayP3, "the color space was lost")
    // A part of all rows: its provider has as many bytes per row and as many rows as that of the whole image.
    let whole = try Self.image(Self.step([0, 0, 0, 255], [0, 0, 255, 255]))
    let part = whole.cropping(to: CGRect(x: 4, y: 0, width: 40, height: Self.height))!
    let softPart = try part.blurred(sigma: Self.sigma)
    expect(softPart.width == 40, "the cropped image has the width \(softPart.width)")
    expect(Self.isEdge(Self.middle(softPart).map { $0[0] }, between: 19), "crop: \(Self.middle(softPart))")
  }

  mutating func straightAlpha() throws {
    // Transparent green in RGBA and also in BGRA. It must not become visible.
    let hiddenGreen: [UInt8] = [0, 255, 0, 0]
    let (red, redBGRA): ([UInt8], [UInt8]) = ([255, 0, 0, 255], [0, 0, 255, 255])
    let (first, rgba) = (CGImageAlphaInfo.first.rawValue, CGImageAlphaInfo.last.rawValue)
    let little = CGBitmapInfo.byteOrder32Little.rawValue
    for (info, order) in [
      (rgba, [0, 1, 2, 3]), (first, [3, 0, 1, 2]), (rgba | little, [3, 2, 1, 0]),
      (first | little, [2, 1, 0, 3]),
    ] {
      let (left, right) = (order.map { hiddenGreen[$0] }, order.map { red[$0] })
      let soft = try Self.image(Self.step(left, right), info: info).blurred(sigma: Self.sigma)
      expect(soft.bitmapInfo.rawValue == info, "the bitmap info is \(soft.bitmapInfo)")
      expectStraightRed(Self.middle(soft))
    }
    // An image with padded rows is drawn, and the result is premultiplied.
    let padded = try Self.image(Self.step(hiddenGreen, red, stride: 224), info: rgba, stride: 224)
    let soft = try padded.blurred(sigma: Self.sigma)
    let row = Self.middle(soft)
    expect(soft.alphaInfo == .premultipliedLast, "alpha is \(soft.alphaInfo)")
    expect(row.allSatisfy { $0[1] == 0 }, "hidden green bleeds: \(row)")
    expect(Self.isEdge(row.map { $0[0] }) && Self.isEdge(row.map { $0[3] }), "not blurred: \(row)")
    // The constant pixel of an edge is red with half of the alpha, whether or not the image is drawn.
    let clear = try [224, Self.width * 4].map { stride in
      try Self.image(Self.step(hiddenGreen, hiddenGreen, stride: stride), info: rgba, stride: stride)
        .blurred(sigma: Self.sigma, edge: .constant([255, 0, 0, 128]))
    }
    let (drawn, stored) = (Self.middle(clear[0])[0], Self.middle(clear[1])[0])
    expect(drawn[3] > 40 && abs(drawn[3] - stored[3]) <= 2, "alpha at the edge: \(drawn), \(stored)")
    expect(abs(drawn[0] - drawn[3]) <= 2 && stored[0] > 250, "red at the edge: \(drawn), \(stored)")
    // Pixel buffers state their alpha in an attachment.
    let buffer = Self.pixelBuffer()
    let stride = CVPixelBufferGetBytesPerRow(buffer)
    let sharp = Self.step(hiddenGreen, redBGRA, stride: stride)
    Self.bytes(of: buffer) { $0.copyBytes(from: sharp.prefix($0.count)) }
    Self.makeStraight(buffer)
    try buffer.blur(sigma: Self.sigma)
    let at = Self.height / 2 * stride
    let pixels = Self.bytes(of: buffer) { bytes in
      (0..<Self.width).map { x in [2, 1, 0, 3].map { Double(bytes[at + x * 4 + $0]) } }
    }
    expectStraightRed(pixels)
  }

  /// Expects a blurred step from transparent green to opaque red, with straight alpha.
  private mutating func expectStraightRed(_ row: [[Double]], line: Int = #line) {
    expect(row.allSatisfy { $0[1] == 0 && $0[2] == 0 }, "hidden green bleeds: \(row)", line: line)
    expect(Self.isEdge(row.map { $0[3] }), "alpha is not blurred: \(row)", line: line)
    // The error of a colour is at most one level divided by alpha. Rounding adds half a level.
    expect(
      row.allSatisfy { (255 - $0[0]) * $0[3] <= 255 + $0[3] / 2 }, "red is not straight: \(row)", line: line)
  }

  static func makeStraight(_ buffer: CVPixelBuffer) {
    CVBufferSetAttachment(
      buffer, kCVImageBufferAlphaChannelModeKey, kCVImageBufferAlphaChannelMode_StraightAlpha,
      .shouldPropagate)
  }

  /// Black images with a red border get red edges, whatever the order of their channels.
  mutating func constantEdges() throws {
    let (first, last) = (CGImageAlphaInfo.premultipliedFirst, CGImageAlphaInfo.premultipliedLast)
    let little = CGBitmapInfo.byteOrder32Little.rawValue
    let red = EdgeMode.constant([255, 0, 0, 255])
    for (info, black, place) in [
      (first.rawValue | little, [0, 0, 0, 255], 2), (last.rawValue | little, [255, 0, 0, 0], 3),
      (first.rawValue, [255, 0, 0, 0], 1), (last.rawValue, [0, 0, 0, 255], 0),
    ] as [(UInt32, [UInt8], Int)] {
      let soft = try Self.image(Self.step(black, black), info: info).blurred(sigma: Self.sigma, edge: red)
      let bytes = soft.dataProvider!.data! as NSData
      let pixel = (0..<4).map { bytes.bytes.load(fromByteOffset: $0, as: UInt8.self) }
      expect(
        pixel.indices.allSatisfy { $0 == place ? 100 < pixel[$0] : abs(Int(pixel[$0]) - Int(black[$0])) < 2 },
        "the corner of an image with the bitmap info \(info) is \(pixel)")
    }
    for (type, black, place) in [
      (kCVPixelFormatType_32BGRA, [0, 0, 0, 255], 2), (kCVPixelFormatType_32ABGR, [255, 0, 0, 0], 3),
      (kCVPixelFormatType_32ARGB, [255, 0, 0, 0], 1), (kCVPixelFormatType_32RGBA, [0, 0, 0, 255], 0),
    ] as [(OSType, [UInt8], Int)] {
      let buffer = Self.pixelBuffer(type)
      let sharp = Self.step(black, black, stride: CVPixelBufferGetBytesPerRow(buffer))
      Self.bytes(of: buffer) { $0.copyBytes(from: sharp.prefix($0.count)) }
      try buffer.blur(sigma: Self.sigma, edge: red)
      let pixel = Self.bytes(of: buffer) { bytes in (0..<4).map { bytes[$0] } }
      expect(
        pixel.indices.allSatisfy { $0 == place ? 100 < pixel[$0] : abs(Int(pixel[$0]) - Int(black[$0])) < 2 },
        "the corner of a pixel buffer of type \(type) is \(pixel)")
    }
  }

  static func pixelBuffer(_ type: OSType = kCVPixelFormatType_32BGRA) -> CVPixelBuffer {
    var buffer: CVPixelBuffer?
    CVPixelBufferCreate(nil, width, height, type, nil, &buffer)
    return buffer!
  }

  /// Calls `body` with the locked bytes of a buffer.
  static func bytes<R>(of buffer: CVPixelBuffer, _ body: (UnsafeMutableRawBufferPointer) -> R) -> R {
    CVPixelBufferLockBaseAddress(buffer, [])
    defer { CVPixelBufferUnlockBaseAddress(buffer, []) }
    let count = CVPixelBufferGetBytesPerRow(buffer) * (height - 1) + width * 4
    return body(UnsafeMutableRawBufferPointer(start: CVPixelBufferGetBaseAddress(buffer), count: count))
  }

  mutating func pixelBuffers() throws {
    let (buffer, result) = (Self.pixelBuffer(), Self.pixelBuffer())
    let stride = CVPixelBufferGetBytesPerRow(buffer)
    let sharp = Self.step([0, 80, 0, 255], [0, 80, 255, 255], stride: stride)
    Self.bytes(of: buffer) { $0.copyBytes(from: sharp.prefix($0.count)) }
    let plan = try BlurPlan(for: buffer.imageLayout, sigma: Self.sigma)
    let key = "test" as NSString
    CVBufferSetAttachment(buffer, key, "kept" as NSString, .shouldPropagate)
    try plan.blur(buffer, into: result)
    expect(CVBufferCopyAttachment(result, key, nil) != nil, "attachments are not propagated")
    try buffer.blur(sigma: Self.sigma)
    for blurred in [buffer, result] {
      let at = Self.height / 2 * CVPixelBufferGetBytesPerRow(blurred)
      let row = Self.bytes(of: blurred) { bytes in (0..<Self.width * 4).map { bytes[at + $0] } }
      let red = Swift.stride(from: 2, to: row.count, by: 4).map { Double(row[$0]) }
      expect(Self.isEdge(red), "\(red)")
      expect(row.enumerated().allSatisfy { $0 % 4 != 1 || $1 == 80 }, "green changed")
    }
    let padding = Self.bytes(of: buffer) { $0[Self.width * 4..<stride].allSatisfy { $0 == 7 } }
    expect(padding, "the bytes between rows changed")
  }

  mutating func unsupportedPixelBuffers() throws {
    let planar = kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange
    expectError("420v") { _ = try Self.pixelBuffer(planar).imageLayout }
    let (straight, buffer) = (Self.pixelBuffer(), Self.pixelBuffer())
    Self.makeStraight(straight)
    let plan = try BlurPlan(for: buffer.imageLayout, sigma: 1)
    expectError("with straight alpha") { try plan.blur(buffer, into: straight) }
    expectError("share memory") { try plan.blur(buffer, into: buffer) }
  }

  mutating func expectError(_ text: String, line: Int = #line, _ body: () throws -> Void) {
    do {
      try body()
      expect(false, "no error with '\(text)'", line: line)
    } catch {
      expect(error is BlurError && "\(error)".contains(text), "\(error)", line: line)
    }
  }

  mutating func vImageBuffers() throws {
    var sharp = Self.step([0, 0, 0, 255], [255, 0, 0, 255])
    var soft = [UInt8](repeating: 0, count: sharp.count)
    try sharp.withUnsafeMutableBytes { sharp in
      try soft.withUnsafeMutableBytes { soft in
        let buffers = [sharp, soft].map {
          vImage_Buffer(
            data: $0.baseAddress, height: UInt(Self.height), width: UInt(Self.width),
            rowBytes: Self.width * 4)
        }
        let source = try ImageView(vImage: buffers[0], format: .rgba8)
        let plan = try BlurPlan(for: source.layout, sigma: Self.sigma)
        try plan.blur(source, into: MutableImageView(vImage: buffers[1], format: .rgba8))
      }
    }
    let row = (0..<Self.width).map { Double(soft[(6 * Self.width + $0) * 4]) }
    expect(Self.isEdge(row), "\(row)")
    let empty = vImage_Buffer(data: nil, height: 1, width: 1, rowBytes: 4)
    expectError("has 0 bytes") { _ = try MutableImageView(vImage: empty, format: .rgba8) }
    expectError("stride 4") {
      _ = try ImageView(
        vImage: vImage_Buffer(data: nil, height: 1, width: 2, rowBytes: 4), format: .rgba8)
    }
  }

  mutating func platformImages() throws {
    let sharp = try Self.image(Self.step([0, 0, 0, 255], [0, 0, 255, 255]))
    #if canImport(UIKit)
      let soft = try UIImage(cgImage: sharp, scale: 2, orientation: .left).blurred(sigma: Self.sigma)
      expect(soft.scale == 2 && soft.imageOrientation == .left, "scale or orientation was lost")
      expect(Self.isEdge(Self.middle(soft.cgImage!).map { $0[0] }), "the UIImage is not blurred")
      expectError("no cgImage") { _ = try UIImage().blurred(sigma: 1) }
    #endif
    #if canImport(AppKit)
      let size = NSSize(width: 24, height: 6)
      let softer = try NSImage(cgImage: sharp, size: size).blurred(sigma: Self.sigma)
      expect(softer.size == size, "the size is \(softer.size)")
      let blurred = softer.cgImage(forProposedRect: nil, context: nil, hints: nil)!
      expect(Self.isEdge(Self.middle(blurred).map { $0[0] }), "the NSImage is not blurred")
    #endif
  }
}
