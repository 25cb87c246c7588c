import Blur
import BlurMeasurement
import BlurVerification

/// The same scene played by a kernel that is right to 10⁻⁵ of full scale, beside which others are held.
final class SceneTruth {
  private let player: ScenePlayer
  /// The frames that are held to the truth: pairs that follow each other, for flicker, and the last.
  let frames: [Int]

  /// One pair of frames in so many.
  private static let every = 12

  /// - Parameter tested: the kernel that is held to it, which is not its own truth.
  init(_ scene: any Scene.Type, on device: Device, beside tested: String, seed: UInt64) throws(BlurError) {
    let name = tested == "dct-fine" ? "simd-fine" : "dct-fine"
    player = try ScenePlayer(scene, on: device, kernel: try Registry.kernel(named: name), seed: seed)
    frames = (0..<scene.frames).filter { $0 % Self.every < 2 || $0 == scene.frames - 1 }
  }

  /// Holds a player to the truth, and leaves its last frame on its screen.
  func judge(_ tested: ScenePlayer) throws(BlurError) -> Finding {
    var finding = Finding()
    var before: (frame: Int, tested: Image, truth: Image)?
    for frame in frames {
      let (shown, truth) = (try tested.shown(frame), try player.shown(frame))
      finding.error = max(finding.error, shown.levels(from: truth))
      if let before, before.frame == frame - 1, before.truth.layout == truth.layout {
        finding.flicker = max(
          finding.flicker, shown.levelsOfChange(since: before.tested, beyond: truth, since: before.truth))
      }
      for (name, value) in tested.findings(frame) where name == "stale_levels" {
        finding.stale = max(finding.stale ?? 0, value)
      }
      before = (frame, shown, truth)
    }
    finding.hash = PixelHash.of(tested.screen)
    return finding
  }

  /// What was found, in levels.
  struct Finding {
    var error = 0.0, flicker = 0.0
    var stale: Double?
    /// The hash of the last frame.
    var hash = ""
  }
}

extension Image {
  /// The largest difference of a byte; infinite where the layouts differ.
  func levels(from other: Image) -> Double {
    guard layout == other.layout else { return .infinity }
    return withView { a in
      other.withView { b in
        var largest = 0
        for y in 0..<layout.height {
          // SAFETY: both rows hold `rowBytes` bytes.
          let (a, b) = (a.row(y).bytes, b.row(y).bytes)
          for i in 0..<layout.rowBytes { largest = max(largest, abs(Int(a[i]) - Int(b[i]))) }
        }
        return Double(largest)
      }
    }
  }

  /// How far the change of a byte since an earlier frame is from the truth's own change, at most.
  func levelsOfChange(since earlier: Image, beyond truth: Image, since before: Image) -> Double {
    guard layout == earlier.layout, layout == truth.layout, layout == before.layout else { return .infinity }
    var largest = 0
    withView { a in
      earlier.withView { b in
        truth.withView { c in
          before.withView { d in
            for y in 0..<layout.height {
              // SAFETY: all rows hold `rowBytes` bytes.
              let (a, b, c, d) = (a.row(y).bytes, b.row(y).bytes, c.row(y).bytes, d.row(y).bytes)
              for i in 0..<layout.rowBytes {
                largest = max(largest, abs((Int(a[i]) - Int(b[i])) - (Int(c[i]) - Int(d[i]))))
              }
            }
          }
        }
      }
    }
    return Double(largest)
  }
}

extension UnsafeRawPointer {
  fileprivate var bytes: UnsafePointer<UInt8> { assumingMemoryBound(to: UInt8.self) }
}
