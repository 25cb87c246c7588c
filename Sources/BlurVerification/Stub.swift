// STUB, to be dropped when BlurVerification is merged: the agreed API, so that BlurMeasurement compiles.
import Blur

public enum TestImage: String, CaseIterable, Sendable {
  case impulse, step, checkerboard, extremes, noise
  case alphaRamp = "alpha-ramp"
  case deadLeaves = "dead-leaves"

  public func image(_ layout: ImageLayout, seed: UInt64) throws(BlurError) -> Image {
    var image = try Image(layout)
    var state = seed
    image.withMutableView { view in
      for y in 0..<layout.height {
        for i in 0..<layout.rowComponents {
          state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
          let value = Int(state >> 40) & 255
          switch layout.format.component {
          case .uint8: view.row(y).storeBytes(of: UInt8(value), toByteOffset: i, as: UInt8.self)
          case .uint16: view.row(y).storeBytes(of: UInt16(value * 257), toByteOffset: 2 * i, as: UInt16.self)
          case .float32: view.row(y).storeBytes(of: Float(value) / 255, toByteOffset: 4 * i, as: Float.self)
          }
        }
      }
    }
    return image
  }
}

public struct Deviation: Sendable {
  public var maxLevels: Double
  public var x: Int, y: Int, channel: Int
  public var psnr: Double
}

public struct Judgement: Sendable {
  public var deviation: Deviation
  public var breach: String?
}

public final class Judge {
  public init(_ image: Image, sigma: Sigma, edge: EdgeMode, rows: [Int]? = nil) {}

  public func judge(_ result: ImageView, by kernel: Kernel) -> Judgement {
    Judgement(deviation: Deviation(maxLevels: 0.5, x: 0, y: 0, channel: 0, psnr: 60), breach: nil)
  }
}

public func achievedSigma(
  of kernel: Kernel, format: PixelFormat, sigma: Sigma, instructionSet: InstructionSet = .best,
  threads: Int = 1
) -> Double? { nil }
