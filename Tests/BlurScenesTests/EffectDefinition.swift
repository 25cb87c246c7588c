import Blur
import BlurVerification

@testable import BlurScenes

/// An image of premultiplied rgba8 pixels as a plain array. Its extension below defines the effects with
/// simple loops, as a reference for the real code.
struct ByteImage: Equatable {
  let width: Int, height: Int
  var bytes: [UInt8]

  /// Returns an image of noise, whose alpha is random or always 255. Some of its pixels have saturated
  /// colours.
  static func noise(_ width: Int, _ height: Int, isOpaque: Bool, seed: UInt64 = 1) -> ByteImage {
    var random = SplitMix64(seed: seed)
    let bytes = (0..<width * height).flatMap { _ in
      let alpha = isOpaque ? 255 : Int.random(in: 0...255, using: &random)
      let isVivid = Bool.random(using: &random)
      let colours = (0..<3).map { _ in
        isVivid ? Bool.random(using: &random) ? alpha : 0 : Int.random(in: 0...alpha, using: &random)
      }
      return (colours + [alpha]).map { UInt8($0) }
    }
    return ByteImage(width: width, height: height, bytes: bytes)
  }

  func image(stride: Int? = nil) throws -> Image {
    let layout = try ImageLayout(.rgba8, width: width, height: height, stride: stride)
    var image = try Image(layout)
    image.withMutableView { view in
      for i in bytes.indices {
        view.unsafeRow(i / (4 * width)).storeBytes(
          of: bytes[i], toByteOffset: i % (4 * width), as: UInt8.self)
      }
    }
    return image
  }

  init(width: Int, height: Int, bytes: [UInt8]) {
    (self.width, self.height, self.bytes) = (width, height, bytes)
  }

  init(_ image: Image) {
    self.init(
      width: image.layout.width, height: image.layout.height,
      bytes: image.withView { view in
        (0..<view.layout.height).flatMap { y in
          (0..<view.layout.rowBytes).map { view.unsafeRow(y).load(fromByteOffset: $0, as: UInt8.self) }
        }
      })
  }

  subscript(x: Int, y: Int, c: Int) -> Int { Int(bytes[(y * width + x) * 4 + c]) }

  /// Returns the part of the image inside a region.
  func cropped(to region: Region) -> ByteImage {
    var part: [UInt8] = []
    for y in region.y..<region.y + region.height {
      let first = (y * width + region.x) * 4
      part += bytes[first..<first + region.width * 4]
    }
    return ByteImage(width: region.width, height: region.height, bytes: part)
  }

  /// Returns the image in which each pixel is the result of `change`. Components are integers from 0 to 255.
  func mapped(_ change: (_ x: Int, _ y: Int, _ pixel: [Int]) -> [Int]) -> ByteImage {
    var result = self
    for y in 0..<height {
      for x in 0..<width {
        let pixel = change(x, y, (0..<4).map { self[x, y, $0] })
        for c in 0..<4 { result.bytes[(y * width + x) * 4 + c] = UInt8(truncatingIfNeeded: pixel[c]) }
      }
    }
    return result
  }
}

/// Mistakes that an implementation of the effects could contain.
enum Mistake: CaseIterable { case swappedChannels, tintFirst, noClamp, truncation }

extension ByteImage {
  /// Returns the image after three box blurs of d × d pixels, each of which rounds. Adding up sums along rows
  /// gives the sums over the squares in fewer steps.
  func boxes(sigma: Double) -> ByteImage {
    var d = Int(sigma * 3 * (2 * Double.pi).squareRoot() / 4 + 0.5)
    if d % 2 == 0 { d += 1 }
    var picture = self
    for _ in 0..<3 {
      var sums = [Int](repeating: 0, count: picture.bytes.count)
      for i in sums.indices {
        let (x, y, c) = (i / 4 % width, i / 4 / width, i % 4)
        for column in x - d / 2...x + d / 2 { sums[i] += picture[min(max(column, 0), width - 1), y, c] }
      }
      picture = picture.mapped { x, y, _ in
        (0..<4).map { (c: Int) -> Int in
          var sum = d * d / 2
          for row in y - d / 2...y + d / 2 { sum += sums[(min(max(row, 0), height - 1) * width + x) * 4 + c] }
          return sum / (d * d)
        }
      }
    }
    return picture
  }

  /// Returns the saturation matrix of Apple's sample code of 2013, in units of 1/256.
  static func matrix2013(_ s: Double) -> [[Int]] {
    let rows: [[Double]] = [
      [0.2126 + 0.7873 * s, 0.7152 - 0.7152 * s, 0.0722 - 0.0722 * s],
      [0.2126 - 0.2126 * s, 0.7152 + 0.2848 * s, 0.0722 - 0.0722 * s],
      [0.2126 - 0.2126 * s, 0.7152 - 0.7152 * s, 0.0722 + 0.9278 * s],
    ]
    return rows.map { row in row.map { entry in Int((entry * 256).rounded()) } }
  }

  func saturated2013(_ s: Double, _ mistake: Mistake? = nil) -> ByteImage {
    guard s != 1 else { return self }
    let m = Self.matrix2013(s)
    return mapped { _, _, p in
      let order = mistake == .swappedChannels ? [2, 1, 0] : [0, 1, 2]
      let colours = (0..<3).map { row -> Int in
        let sum = m[row][0] * p[order[0]] + m[row][1] * p[order[1]] + m[row][2] * p[order[2]]
        // An arithmetic shift rounds down.
        let value = (sum + (mistake == .truncation ? 0 : 128)) >> 8
        return mistake == .noClamp ? value : min(max(value, 0), p[3])
      }
      return colours + [p[3]]
    }
  }

  func tinted(_ tint: BackdropEffect.Tint?) -> ByteImage {
    guard let tint else { return self }
    let t = Int((255 * tint.alpha).rounded())
    let colour = [tint.red, tint.green, tint.blue, 1].map { Int((255 * $0).rounded()) }
    return mapped { _, _, p in
      (0..<4).map { (c: Int) -> Int in (colour[c] * t + p[c] * (255 - t) + 127) / 255 }
    }
  }

  /// Returns the image after the system image effect of 2013 (a triple box blur, saturation and a tint).
  func effect2013(_ effect: BackdropEffect, scale: Double, _ mistake: Mistake? = nil) -> ByteImage {
    boxes(sigma: effect.sigma * scale).coloured2013(effect, mistake)
  }

  func coloured2013(_ effect: BackdropEffect, _ mistake: Mistake? = nil) -> ByteImage {
    if mistake == .tintFirst { return tinted(effect.tint).saturated2013(effect.saturation) }
    return saturated2013(effect.saturation, mistake).tinted(effect.tint)
  }

  /// Returns this image composited over `under`. The opacity is in units of 1/256.
  func over(_ under: ByteImage, opacity: Int) -> ByteImage {
    mapped { x, y, p in
      (0..<4).map { (c: Int) -> Int in (under[x, y, c] * (256 - opacity) + p[c] * opacity + 128) / 256 }
    }
  }

  /// Returns the result of the library's own `EffectPlan` for this image. The other functions of this type
  /// are a simple reference to compare it with.
  func applied(
    _ effect: BackdropEffect, scale: Double = 1, kernel: String? = nil, region: Region? = nil,
    isa: InstructionSet = .best, threads: Int = 1, padding: Int = 0, opacity: Double = 1
  ) throws -> ByteImage {
    let screen = try image(stride: 4 * width + padding)
    let plan = try EffectPlan(
      effect, for: screen.layout, scale: scale, region: region,
      kernel: kernel.map { name throws(BlurError) in try Registry.kernel(named: name) }, isa: isa,
      threads: threads)
    let layout = try ImageLayout(
      .rgba8, width: plan.region.width, height: plan.region.height, stride: 4 * plan.region.width + padding)
    var result = try Image(layout)
    try screen.withViews(into: &result) { (screen, target) throws(BlurError) in
      try plan.apply(to: screen, into: target, opacity: opacity)
    }
    return ByteImage(result)
  }
}
