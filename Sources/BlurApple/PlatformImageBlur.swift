#if canImport(UIKit)
  import Blur
  import UIKit

  extension UIImage {
    /// Returns the image, blurred in the same way as by
    /// ``CoreGraphics/CGImage/blurred(sigma:edge:accuracy:threads:)``. The scale and the orientation are
    /// kept.
    ///
    /// - Parameters:
    ///   - sigma: The standard deviation in pixels. For a sigma in points, pass `sigma * scale`.
    ///   - edge: The edge mode, which defines the pixels beyond the edges of the image.
    ///   - accuracy: The largest allowed difference from the exact Gaussian, in any image.
    ///   - threads: The number of threads that work on the image, from 1 to 1024.
    /// - Throws: ``BlurError/invalidLayout(_:)`` if the image has no `cgImage`, because it was made from a
    ///   `CIImage`, or the errors of
    ///   ``CoreGraphics/CGImage/blurred(sigma:edge:accuracy:threads:)``.
    public func blurred(
      sigma: Double, edge: EdgeMode = .clamp, accuracy: ErrorBound = .levels(1), threads: Int = 1
    ) throws(BlurError) -> UIImage {
      guard let cgImage else {
        throw .invalidLayout("this UIImage: it has no cgImage, so draw it with UIGraphicsImageRenderer first")
      }
      return UIImage(
        cgImage: try cgImage.blurred(sigma: sigma, edge: edge, accuracy: accuracy, threads: threads),
        scale: scale, orientation: imageOrientation)
    }
  }
#endif

#if canImport(AppKit) && !targetEnvironment(macCatalyst)
  import AppKit
  import Blur

  extension NSImage {
    /// Returns the image, blurred in the same way as by
    /// ``CoreGraphics/CGImage/blurred(sigma:edge:accuracy:threads:)``. The result has the size of the image
    /// in points, and a single representation, which AppKit chooses.
    ///
    /// - Parameters:
    ///   - sigma: The standard deviation in pixels of the representation that AppKit chooses.
    ///   - edge: The edge mode, which defines the pixels beyond the edges of the image.
    ///   - accuracy: The largest allowed difference from the exact Gaussian, in any image.
    ///   - threads: The number of threads that work on the image, from 1 to 1024.
    /// - Throws: ``BlurError/invalidLayout(_:)`` if AppKit cannot make a `CGImage` of the image, or the
    ///   errors of ``CoreGraphics/CGImage/blurred(sigma:edge:accuracy:threads:)``.
    public func blurred(
      sigma: Double, edge: EdgeMode = .clamp, accuracy: ErrorBound = .levels(1), threads: Int = 1
    ) throws(BlurError) -> NSImage {
      guard let image = cgImage(forProposedRect: nil, context: nil, hints: nil) else {
        throw .invalidLayout("this NSImage: AppKit cannot make a CGImage of it")
      }
      return NSImage(
        cgImage: try image.blurred(sigma: sigma, edge: edge, accuracy: accuracy, threads: threads),
        size: size)
    }
  }
#endif
