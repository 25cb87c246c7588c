// The declarations of AppKit that BlurApple and Tests/ports/apple use, written from Apple's documentation.
@_exported import CoreGraphics

public final class NSGraphicsContext {}

public final class NSImage {
  public struct HintKey: Hashable, Sendable {}

  public let size: NSSize
  private let image: CGImage

  public init(cgImage: CGImage, size: NSSize) { (image, self.size) = (cgImage, size) }
  public func cgImage(
    forProposedRect rect: UnsafeMutablePointer<NSRect>?, context: NSGraphicsContext?,
    hints: [HintKey: Any]?
  ) -> CGImage? { image }
}
