import Blur
import BlurVerification
import CLinux
import CSceneColours
import Testing

@testable import BlurScenes

@Suite("Effects that are rounded once")
struct EffectPrecisionTests {
  /// Returns the screen under the effect `light`, with a blur that is exact to 10⁻⁵.
  private func applied(
    _ precision: Stage.Precision, to screen: Image, region: Region? = nil, opacity: Double = 1
  ) throws -> Image {
    let plan = try EffectPlan(
      .light, for: screen.layout, scale: 0.1, region: region, kernel: Registry.kernel(named: "simd-fine"),
      precision: precision)
    var result = try Image(.rgba8, width: plan.region.width, height: plan.region.height)
    try screen.withViews(into: &result) { (screen, result) throws(BlurError) in
      try plan.apply(to: screen, into: result, opacity: opacity)
    }
    return result
  }

  /// Returns the exact result of the effect `light`: the exact blur is saturated and tinted in double
  /// precision, without rounding in between.
  private func definition(_ screen: Image) throws -> [Double] {
    let blurred = Truth.of(screen, sigma: try Sigma(3), edge: .clamp).values
    let matrix = BackdropEffect.Matrix.imageEffects.saturating(1.8)
    let columns = [matrix.red, matrix.green, matrix.blue].map { [$0.0, $0.1, $0.2] }
    let tint = (0.3 * 255).rounded()
    return stride(from: 0, to: blurred.count, by: 4).flatMap { i in
      let alpha = blurred[i + 3]
      let colours = (0..<3).map { c in
        let sum = (0..<3).reduce(0.0) { $0 + blurred[i + $1] * Double(columns[$1][c]) } / 256
        return max(0, min(alpha, sum))
      }
      return (colours + [alpha]).map { ($0 * (255 - tint) + 255 * tint) / 255 }
    }
  }

  @Test("The result is the definition in real numbers, rounded once", arguments: [false, true])
  func rounding(isOpaque: Bool) throws {
    let screen = try ByteImage.noise(53, 41, isOpaque: isOpaque).image(stride: 256)
    let expected = try definition(screen)
    for (precision, most) in [(Stage.Precision.fine, 0.53), (.dithered, 1.03)] {
      let found = try applied(precision, to: screen).bytes
      let error = zip(found, expected).map { abs(Double($0) - $1) }.max() ?? 0
      #expect(error <= most, "\(precision): \(error) levels")
    }
    let rounded = try applied(.bytes, to: screen).bytes
    #expect(zip(rounded, expected).contains { abs(Double($0) - $1) > 1 }, "rounded before, it is further off")
  }

  @Test("A slowly rising colour never falls, unless the blur is rounded first")
  func reversals() throws {
    var screen = try Image(.rgba8, width: 512, height: 9)
    screen.withMutableView { view in
      for y in 0..<9 {
        for x in 0..<512 {
          let pixel = UInt32(60 + x / 8) | UInt32(80 + x / 5) << 8 | UInt32(120 + x / 12) << 16 | 0xFF00_0000
          view.unsafeRow(y).storeBytes(of: pixel, toByteOffset: 4 * x, as: UInt32.self)
        }
      }
    }
    func falls(_ precision: Stage.Precision) throws -> Int {
      let row = try applied(precision, to: screen).row(4)
      // The test counts how often green falls from one pixel to the next. Green is used because it rises the
      // fastest in this image, and saturation makes it rise even faster.
      return (1..<512).count { row[4 * $0 + 1] < row[4 * $0 - 3] }
    }
    let (rounded, fine) = (try falls(.bytes), try falls(.fine))
    #expect(fine == 0 && rounded > 5, "\(rounded), then \(fine)")
  }

  @Test("A dither keeps the mean of 8 × 8 pixels, to 1/64 of a level")
  func dither() throws {
    #expect(Set((0..<64).map { ColourSteps.threshold($0 % 8, $0 / 8) }).count == 64)
    for colour in [UInt32(0xFF30_5090), 0xFF81_4722] {
      var screen = try Image(.rgba8, width: 16, height: 16)
      screen.withMutableView { view in
        for i in 0..<256 {
          view.unsafeRow(i / 16).storeBytes(of: colour, toByteOffset: i % 16 * 4, as: UInt32.self)
        }
      }
      let expected = try definition(screen)
      let found = try applied(.dithered, to: screen)
      for c in 0..<3 {
        let mean = (0..<64).reduce(0.0) { $0 + Double(found.pixel(4 + $1 % 8, 3 + $1 / 8)[c]) } / 64
        #expect(abs(mean - expected[c]) <= 1.0 / 64 + 0.01)
      }
    }
  }

  @Test("Regions and opacity work as for effects that are computed in bytes")
  func parts() throws {
    let screen = try ByteImage.noise(60, 50, isOpaque: true).image()
    let region = Region(x: 7, y: 5, width: 40, height: 30)
    let whole = try applied(.dithered, to: screen)
    let part = try applied(.dithered, to: screen, region: region)
    for y in region.rows {
      for x in region.columns {
        // For a region, the kernel may add up the same weighted pixels in a different order. Floating-point
        // sums may then be rounded differently.
        let pairs = zip(part.pixel(x - 7, y - 5), whole.pixel(x, y))
        #expect(pairs.allSatisfy { abs(Int($0) - Int($1)) <= 1 })
      }
    }
    let fine = try applied(.fine, to: screen)
    let faint = try applied(.fine, to: screen, opacity: 0.5)
    for y in 0..<50 {
      for x in 0..<60 {
        for (found, (below, above)) in zip(faint.pixel(x, y), zip(screen.pixel(x, y), fine.pixel(x, y))) {
          #expect(Int(found) == (Int(below) + Int(above) + 1) / 2)
        }
      }
    }
  }

  @Test(
    "The dither is fixed to the screen, whatever region is computed", arguments: [(7, 5), (8, 8), (13, 2)])
  func anchor(place: (x: Int, y: Int)) throws {
    // The screen has a single colour. So its blur is the same everywhere, and only the dither varies.
    var screen = try Image(.rgba8, width: 48, height: 40)
    screen.withMutableView { view in
      for y in 0..<40 {
        for x in 0..<48 {
          view.unsafeRow(y).storeBytes(of: 0xFF30_5090, toByteOffset: 4 * x, as: UInt32.self)
        }
      }
    }
    let whole = try applied(.dithered, to: screen)
    let region = Region(x: place.x, y: place.y, width: 20, height: 20)
    let part = try applied(.dithered, to: screen, region: region)
    #expect(Set(whole.bytes).count > 4, "a dither has more than one level of a colour")
    for y in 0..<20 {
      for x in 0..<20 { #expect(part.pixel(x, y) == whole.pixel(x + place.x, y + place.y)) }
    }
  }

  private func applied(
    _ precision: Stage.Precision, to screen: Image, isa: InstructionSet, threads: Int
  ) throws -> [UInt8] {
    let plan = try EffectPlan(
      .light, for: screen.layout, scale: 0.1, kernel: Registry.kernel(named: "simd"), isa: isa,
      threads: threads, precision: precision)
    var result = try Image(.rgba8, width: screen.layout.width, height: screen.layout.height)
    try screen.withViews(into: &result) { (screen, result) throws(BlurError) in
      try plan.apply(to: screen, into: result)
    }
    return result.bytes
  }

  @Test(
    "Threads change no bit, and instruction sets change at most one level",
    arguments: [Stage.Precision.fine, .dithered])
  func machines(precision: Stage.Precision) throws {
    let screen = try ByteImage.noise(257, 190, isOpaque: true).image()
    let expected = try applied(precision, to: screen, isa: .best, threads: 1)
    #expect(try applied(precision, to: screen, isa: .best, threads: 3) == expected)
    for isa in InstructionSet.available {
      let found = try applied(precision, to: screen, isa: isa, threads: 1)
      #expect(zip(found, expected).allSatisfy { abs(Int($0) - Int($1)) <= 1 }, "\(isa)")
    }
  }

  @Test("A result that overlaps the screen is rejected, as for effects that are computed in bytes")
  func overlap() throws {
    var screen = try ByteImage.noise(40, 30, isOpaque: true).image()
    let plan = try EffectPlan(
      .light, for: screen.layout, scale: 0.1, kernel: Registry.kernel(named: "simd"), precision: .fine)
    let before = screen.bytes
    #expect(throws: BlurError.overlap(kernel: "simd")) {
      try screen.withMutableView { (view) throws(BlurError) in try plan.apply(to: view.readOnly, into: view) }
    }
    #expect(screen.bytes == before)
  }

  @Test("All plans of a scene share one pair of wide images, and there is none if no plan needs it")
  func sharedImages() throws {
    let device = Device(name: "any", width: 96, height: 128, scale: 0.25)
    for scene in Scene.all {
      let bytes = Stage(device)
      _ = try ScenePlayer(scene, bytes)
      #expect(bytes.wide.byteCount == 0)
      let fine = Stage(device, precision: .fine)
      _ = try ScenePlayer(scene, fine)
      // The scene has two images with 16 bits per component, which need twice as many bytes as 8-bit images.
      // Each is as large as the screen, or as a glass bar with its surroundings. The limit of 115 × 147
      // pixels leaves space for this, because the screen has only 96 × 128 pixels.
      #expect(fine.wide.byteCount <= 2 * 2 * 4 * 115 * 147, "\(scene.name)")
      #expect((fine.wide.byteCount > 0) == (scene.name != ProgressiveBar.scene.name), "\(scene.name)")
    }
  }

  @Test("A scene whose effects are rounded once allocates no memory, and looks nearly the same")
  func scene() throws {
    let kernel = try Registry.kernel(named: "simd-fine")
    for precision in [Stage.Precision.fine, .dithered] {
      let players = try [.bytes, precision].map {
        try ScenePlayer(StaticAgainstLive.scene, kernel: kernel, precision: $0)
      }
      let (rounded, fine) = (try players[0].shown(130), try players[1].shown(130))
      let difference = fine.largestDifference(from: rounded)
      #expect(difference > 0 && difference <= 4, "\(difference) levels")
      #if os(Linux)
        allocations_trace()
        let allocated = try (131...149).filter { frame in
          try players[1].prepare(frame)
          allocations_begin(false)
          try players[1].present(frame)
          let bytes = allocations_end()
          // The call stack shows what allocated the memory.
          if bytes > 0 { allocations_print_first(2) }
          return bytes > 0
        }
        #expect(allocated.isEmpty, "frames \(allocated) allocate memory")
      #endif
    }
  }

  /// Returns how often a component rises to the next pixel and then falls, or falls and then rises. In a
  /// smooth image that is rare.
  private func reversals(_ image: Image) -> Int {
    (0..<image.layout.height).reduce(0) { sum, y in
      let row = image.row(y)
      return (0..<3).reduce(sum) { sum, c in
        sum
          + (1..<image.layout.width - 1).count { x in
            let before = Int(row[4 * x + c]) - Int(row[4 * x + c - 4])
            return before * (Int(row[4 * x + c + 4]) - Int(row[4 * x + c])) < 0
          }
      }
    }
  }

  @Test("Rounding once avoids all but 1/300 of the 70,000 reversals in a frame, and enlarging all but 1/30")
  func bands() throws {
    let device = try #require(Device.named("phone-2x"))
    let content = try Image.drawn(device) { Feed(seed: 1, scale: 2).draw(into: $0, offset: 480) }
    func found(_ precision: Stage.Precision, _ edge: EdgeMode) throws -> Int {
      var effect = StaticAgainstLive.effect
      effect.edge = edge
      return reversals(try content.under(effect, on: device, precision: precision))
    }
    // Only blurs with mirrored edges are enlarged.
    let (rounded, fine, enlarged) = (
      try found(.bytes, .clamp), try found(.fine, .clamp), try found(.bytes, .mirror)
    )
    // The remaining reversals are due to rounding to 16 bits, where a component should stay constant.
    #expect(rounded > 50_000 && 300 * fine < rounded, "\(rounded), then \(fine)")
    #expect(30 * enlarged < rounded, "\(enlarged) of \(rounded)")
  }
}
