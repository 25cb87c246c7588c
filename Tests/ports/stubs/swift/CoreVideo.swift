// swift-format-ignore-file: AlwaysUseLowerCamelCase, TypeNamesShouldBeCapitalized
// The declarations of Core Video that BlurApple and Tests/ports/apple use, written from Apple's
// documentation. Pixel buffers work: their rows are padded, as those of most devices are.
@_exported import CoreGraphics

public typealias OSType = UInt32
public typealias CVReturn = Int32
public typealias CVImageBuffer = CVBuffer
public typealias CVPixelBuffer = CVImageBuffer
public typealias CFAllocator = AnyObject
public typealias CFDictionary = NSDictionary

public let kCVReturnSuccess: CVReturn = 0
public let kCVPixelFormatType_32BGRA: OSType = 0x4247_5241
public let kCVPixelFormatType_32RGBA: OSType = 0x5247_4241
public let kCVPixelFormatType_32ARGB: OSType = 32
public let kCVPixelFormatType_32ABGR: OSType = 0x4142_4752
public let kCVPixelFormatType_24RGB: OSType = 24
public let kCVPixelFormatType_24BGR: OSType = 0x3234_4247
public let kCVPixelFormatType_64RGBALE: OSType = 0x6c36_3472
public let kCVPixelFormatType_128RGBAFloat: OSType = 0x5247_6641
public let kCVPixelFormatType_OneComponent8: OSType = 0x4c30_3038
public let kCVPixelFormatType_OneComponent16: OSType = 0x4c30_3136
public let kCVPixelFormatType_OneComponent32Float: OSType = 0x4c30_3066
public let kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange: OSType = 0x3432_3076
nonisolated(unsafe) public let kCVImageBufferAlphaChannelModeKey: CFString = "CVImageBufferAlphaChannelMode"
nonisolated(unsafe) public let kCVImageBufferAlphaChannelMode_StraightAlpha: CFString = "StraightAlpha"

public final class CVBuffer {
  fileprivate let type: OSType, width: Int, height: Int, bytesPerRow: Int
  fileprivate let base: UnsafeMutableRawPointer
  fileprivate var locks = 0
  fileprivate var attachments: [NSString: AnyObject] = [:]

  fileprivate init(_ type: OSType, _ width: Int, _ height: Int) {
    (self.type, self.width, self.height, bytesPerRow) = (type, width, height, width * 4 + 32)
    base = .allocate(byteCount: bytesPerRow * height, alignment: 64)
    base.initializeMemory(as: UInt8.self, repeating: 0, count: bytesPerRow * height)
  }

  deinit { base.deallocate() }
}

public struct CVPixelBufferLockFlags: OptionSet, Sendable {
  public let rawValue: UInt64
  public init(rawValue: UInt64) { self.rawValue = rawValue }
  public static let readOnly = CVPixelBufferLockFlags(rawValue: 1)
}

@discardableResult
public func CVPixelBufferCreate(
  _ allocator: CFAllocator?, _ width: Int, _ height: Int, _ pixelFormatType: OSType,
  _ attributes: CFDictionary?, _ result: UnsafeMutablePointer<CVPixelBuffer?>
) -> CVReturn {
  result.pointee = CVBuffer(pixelFormatType, width, height)
  return kCVReturnSuccess
}

@discardableResult
public func CVPixelBufferLockBaseAddress(_ buffer: CVPixelBuffer, _ flags: CVPixelBufferLockFlags)
  -> CVReturn
{
  buffer.locks += 1
  return kCVReturnSuccess
}

@discardableResult
public func CVPixelBufferUnlockBaseAddress(_ buffer: CVPixelBuffer, _ flags: CVPixelBufferLockFlags)
  -> CVReturn
{
  buffer.locks -= 1
  return kCVReturnSuccess
}

public func CVPixelBufferGetBaseAddress(_ buffer: CVPixelBuffer) -> UnsafeMutableRawPointer? {
  buffer.locks > 0 ? buffer.base : nil
}

public func CVPixelBufferGetPixelFormatType(_ buffer: CVPixelBuffer) -> OSType { buffer.type }
public func CVPixelBufferGetWidth(_ buffer: CVPixelBuffer) -> Int { buffer.width }
public func CVPixelBufferGetHeight(_ buffer: CVPixelBuffer) -> Int { buffer.height }
public func CVPixelBufferGetBytesPerRow(_ buffer: CVPixelBuffer) -> Int { buffer.bytesPerRow }

public func CVBufferCopyAttachment(
  _ buffer: CVBuffer, _ key: CFString, _ mode: UnsafeMutablePointer<CVAttachmentMode>?
) -> CFTypeRef? { buffer.attachments[key] }

public enum CVAttachmentMode: UInt32 { case shouldNotPropagate, shouldPropagate }

public func CVBufferSetAttachment(
  _ buffer: CVBuffer, _ key: CFString, _ value: CFTypeRef, _ mode: CVAttachmentMode
) { buffer.attachments[key] = value }

public func CVBufferPropagateAttachments(_ source: CVBuffer, _ destination: CVBuffer) {
  destination.attachments.merge(source.attachments) { $1 }
}
