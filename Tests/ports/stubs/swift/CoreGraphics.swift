// swift-format-ignore-file: AlwaysUseLowerCamelCase, TypeNamesShouldBeCapitalized
// The declarations of Core Graphics that BlurApple and Tests/ports/apple use, written from Apple's
// documentation. Images and contexts work, so that the program Tests/ports/apple can run on Linux. Contexts
// can draw images with 8 bits and four channels only.
@_exported import Foundation

public typealias CFData = NSData
public typealias CFString = NSString
public typealias CFTypeRef = AnyObject

public func CFEqual(_ a: CFTypeRef!, _ b: CFTypeRef!) -> Bool { (a as! NSObject).isEqual(b) }

public enum CGColorSpaceModel: Int32 {
  case unknown = -1
  case monochrome, rgb, cmyk, lab, deviceN, indexed, pattern, XYZ
}

public final class CGColorSpace: @unchecked Sendable {
  nonisolated(unsafe) public static let sRGB: CFString = "kCGColorSpaceSRGB"
  nonisolated(unsafe) public static let displayP3: CFString = "kCGColorSpaceDisplayP3"
  public let name: CFString?
  public let model = CGColorSpaceModel.rgb
  public let supportsOutput = true
  public init?(name: CFString) { self.name = name }
}

public enum CGImageAlphaInfo: UInt32 {
  case none, premultipliedLast, premultipliedFirst, last, first, noneSkipLast, noneSkipFirst, alphaOnly
}

public enum CGImageByteOrderInfo: UInt32 {
  case orderMask = 0x7000
  case orderDefault = 0
  case order16Little = 0x1000
  case order32Little = 0x2000
  case order16Big = 0x3000
  case order32Big = 0x4000
}

public struct CGBitmapInfo: OptionSet, Sendable {
  public let rawValue: UInt32
  public init(rawValue: UInt32) { self.rawValue = rawValue }
  public static let floatComponents = CGBitmapInfo(rawValue: 0x100)
  public static let byteOrder16Little = CGBitmapInfo(rawValue: 0x1000)
  public static let byteOrder32Little = CGBitmapInfo(rawValue: 0x2000)
}

public enum CGColorRenderingIntent: Int32 {
  case defaultIntent, absoluteColorimetric, relativeColorimetric, perceptual, saturation
}

public final class CGDataProvider {
  public let data: CFData?
  public init?(data: CFData) { self.data = data }
}

public final class CGImage {
  public let width: Int, height: Int
  public let bitsPerComponent: Int, bitsPerPixel: Int, bytesPerRow: Int
  public let colorSpace: CGColorSpace?
  public let bitmapInfo: CGBitmapInfo
  public let dataProvider: CGDataProvider?
  public let decode: UnsafePointer<CGFloat>?
  public let shouldInterpolate: Bool
  public let renderingIntent: CGColorRenderingIntent
  /// The offset of the first pixel in the data, which is not 0 in a cropped image.
  fileprivate let offset: Int

  public convenience init?(
    width: Int, height: Int, bitsPerComponent: Int, bitsPerPixel: Int, bytesPerRow: Int, space: CGColorSpace,
    bitmapInfo: CGBitmapInfo, provider: CGDataProvider, decode: UnsafePointer<CGFloat>?,
    shouldInterpolate: Bool, intent: CGColorRenderingIntent
  ) {
    self.init(
      width, height, bitsPerComponent, bitsPerPixel, bytesPerRow, space, bitmapInfo, provider, decode,
      shouldInterpolate, intent, offset: 0)
  }

  private init(
    _ width: Int, _ height: Int, _ bitsPerComponent: Int, _ bitsPerPixel: Int, _ bytesPerRow: Int,
    _ space: CGColorSpace?, _ bitmapInfo: CGBitmapInfo, _ provider: CGDataProvider?,
    _ decode: UnsafePointer<CGFloat>?, _ shouldInterpolate: Bool, _ intent: CGColorRenderingIntent,
    offset: Int
  ) {
    (self.width, self.height, self.bytesPerRow) = (width, height, bytesPerRow)
    (self.bitsPerComponent, self.bitsPerPixel) = (bitsPerComponent, bitsPerPixel)
    (colorSpace, self.bitmapInfo, dataProvider, self.decode) = (space, bitmapInfo, provider, decode)
    (self.shouldInterpolate, renderingIntent, self.offset) = (shouldInterpolate, intent, offset)
  }

  public var alphaInfo: CGImageAlphaInfo { CGImageAlphaInfo(rawValue: bitmapInfo.rawValue & 0x1f)! }
  public var byteOrderInfo: CGImageByteOrderInfo {
    CGImageByteOrderInfo(rawValue: bitmapInfo.rawValue & 0x7000)!
  }

  /// Returns a part of the image, which shares the data of the whole image.
  public func cropping(to rect: CGRect) -> CGImage? {
    CGImage(
      Int(rect.width), Int(rect.height), bitsPerComponent, bitsPerPixel, bytesPerRow, colorSpace, bitmapInfo,
      dataProvider, decode, shouldInterpolate, renderingIntent,
      offset: offset + Int(rect.minY) * bytesPerRow + Int(rect.minX) * bitsPerPixel / 8)
  }
}

public final class CGContext {
  public let data: UnsafeMutableRawPointer?
  public let bytesPerRow: Int

  public init?(
    data: UnsafeMutableRawPointer?, width: Int, height: Int, bitsPerComponent: Int, bytesPerRow: Int,
    space: CGColorSpace, bitmapInfo: UInt32
  ) {
    guard data == nil, bitsPerComponent == 8, bitmapInfo == CGImageAlphaInfo.premultipliedLast.rawValue
    else { return nil }
    // Core Graphics chooses rows that begin at aligned addresses, too.
    self.bytesPerRow = (width * 4 + 63) / 64 * 64
    self.data = .allocate(byteCount: self.bytesPerRow * height, alignment: 64)
    self.data?.initializeMemory(as: UInt8.self, repeating: 0, count: self.bytesPerRow * height)
  }

  deinit { data?.deallocate() }

  public func makeImage() -> CGImage? { nil }

  /// Draws an image that fills the context.
  public func draw(_ image: CGImage, in rect: CGRect) {
    precondition(image.bitsPerPixel == 32 && image.bitsPerComponent == 8, "the stub cannot draw this image")
    for y in 0..<Int(rect.height) {
      for x in 0..<Int(rect.width) {
        let at = image.offset + y * image.bytesPerRow + x * 4
        var pixel = (0..<4).map { image.dataProvider!.data![at + $0] }
        if image.byteOrderInfo == .order32Little { pixel.reverse() }
        let info = image.alphaInfo
        if [.first, .premultipliedFirst, .noneSkipFirst].contains(info) { pixel.append(pixel.removeFirst()) }
        if info == .noneSkipFirst || info == .noneSkipLast { pixel[3] = 255 }
        if info == .first || info == .last {
          for i in 0..<3 { pixel[i] = UInt8((Int(pixel[i]) * Int(pixel[3]) + 127) / 255) }
        }
        for i in 0..<4 {
          data!.storeBytes(of: pixel[i], toByteOffset: y * bytesPerRow + x * 4 + i, as: UInt8.self)
        }
      }
    }
  }
}
