// The declarations of UIKit that BlurApple, Tests/ports/apple and docs/RECIPES.md use, written from Apple's
// documentation. Views do nothing.
@_exported import CoreGraphics

public final class UIImage: @unchecked Sendable {
  public enum Orientation: Int, Sendable { case up, down, left, right }

  public let cgImage: CGImage?
  public let scale: CGFloat
  public let imageOrientation: Orientation

  public init() { (cgImage, scale, imageOrientation) = (nil, 1, .up) }
  public init(cgImage: CGImage, scale: CGFloat, orientation: Orientation) {
    (self.cgImage, self.scale, imageOrientation) = (cgImage, scale, orientation)
  }
}

@MainActor
open class UIView {
  public var frame = CGRect.zero
  public var bounds = CGRect.zero
  public var alpha: CGFloat = 1
  public func addSubview(_ view: UIView) {}
  public func insertSubview(_ view: UIView, at index: Int) {}
  public func convert(_ rect: CGRect, to view: UIView?) -> CGRect { rect }
  @discardableResult
  public func drawHierarchy(in rect: CGRect, afterScreenUpdates: Bool) -> Bool { true }
  public static func animate(withDuration duration: TimeInterval, animations: @escaping () -> Void) {}
}

public final class UIImageView: UIView {
  public var image: UIImage?
  public init(image: UIImage?) { self.image = image }
}

public final class UIGraphicsImageRendererFormat {
  public enum Range: Sendable { case automatic, extended, standard }
  public var preferredRange = Range.automatic
  public static func preferred() -> UIGraphicsImageRendererFormat { UIGraphicsImageRendererFormat() }
}

public final class UIGraphicsImageRendererContext {}

public final class UIGraphicsImageRenderer {
  public init(bounds: CGRect, format: UIGraphicsImageRendererFormat) {}
  public func image(actions: (UIGraphicsImageRendererContext) -> Void) -> UIImage { UIImage() }
}
