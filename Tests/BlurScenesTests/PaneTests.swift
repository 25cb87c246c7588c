import Blur
import BlurVerification
import Testing

@testable import BlurScenes

@Suite("Blurred panes at any position")
struct PaneTests {
  private static let device = Device(name: "any", width: 60, height: 50, scale: 1)
  private static let effect = BackdropEffect.backdropFilter(sigma: 3)
  private static let places = [(12.0, 9.0), (12.25, 9.75), (-7.5, -3.25), (48.5, 41.0)]

  private func pane(radius: Double = 0, reduced: Bool = false) throws -> Pane {
    return try Pane(
      Self.effect, Stage(Self.device, reduceTransparency: reduced), width: 20, height: 16, radius: radius)
  }

  private func content(_ seed: UInt64 = 1) throws -> Image {
    try TestImage.noise.image(ImageLayout(.rgba8, width: 60, height: 50), seed: seed).opaque
  }

  private func inside(_ x: Double, _ y: Double, _ margin: Double) -> (Int, Int) -> Bool {
    { column, row in
      let (a, b) = (Double(column), Double(row))
      return a >= x - margin && a + 1 <= x + 20 + margin && b >= y - margin && b + 1 <= y + 16 + margin
    }
  }

  @Test("Pixels outside the pane stay as they are, and do not bleed into it", arguments: places)
  func isolation(x: Double, y: Double) throws {
    let (pane, isTouched) = (try pane(), inside(x, y, 1))
    let content = try content()
    var others = content
    others.withMutableView { view in
      for row in 0..<50 {
        for column in 0..<60 where !isTouched(column, row) {
          view.unsafeRow(row).storeBytes(of: 0xFF00_00FF, toByteOffset: 4 * column, as: UInt32.self)
        }
      }
    }
    var screens = [content, others]
    try pane.show(content, in: &screens[0], x: x, y: y)
    try pane.show(others, in: &screens[1], x: x, y: y)
    var changed = 0
    for row in 0..<50 {
      for column in 0..<60 {
        if isTouched(column, row) {
          #expect(screens[0].pixel(column, row) == screens[1].pixel(column, row))
          changed += screens[0].pixel(column, row) == content.pixel(column, row) ? 0 : 1
        } else {
          #expect(screens[1].pixel(column, row) == others.pixel(column, row))
        }
      }
    }
    #expect(changed > 40)
  }

  @Test(
    "A pane that is placed between pixels covers the pixels at its edges in proportion",
    arguments: [0.0, 0.25, 0.5, 0.8])
  func coverage(part: Double) throws {
    var shape = try CardShape(width: 20, height: 16, radius: 0)
    shape.place(part, 0)
    let row = shape.mask.withView { view in
      (0..<21).map { view.unsafeRow(8).load(fromByteOffset: $0, as: UInt8.self) }
    }
    #expect(abs(Double(row[0]) - 255 * (1 - part)) <= 1 && abs(Double(row[20]) - 255 * part) <= 1)
    #expect(row[1..<20].allSatisfy { $0 == 255 })
  }

  @Test(
    "A shape covers its area, wherever it is placed", arguments: [(0.0, 0.0), (0.3, 0.7), (0.99, 0.01)],
    [0.0, 3, 8])
  func area(place: (Double, Double), radius: Double) throws {
    var shape = try CardShape(width: 40, height: 30, radius: radius)
    // The shape is placed twice. Its mask must show only the second position, without remains of the first
    // one.
    shape.place(0.5, 0.5)
    shape.place(place.0, place.1)
    let sum = shape.mask.withView { view in
      (0..<31).reduce(0) { sum, y in
        (0..<41).reduce(sum) { $0 + Int(view.unsafeRow(y).load(fromByteOffset: $1, as: UInt8.self)) }
      }
    }
    let area = 40 * 30 - (4 - Double.pi) * radius * radius
    #expect(abs(Double(sum) / 255 - area) < 1.5, "\(Double(sum) / 255) of \(area)")
  }

  @Test("A prepared image is shown at its place", arguments: places)
  func prepared(x: Double, y: Double) throws {
    let (content, picture) = (try content(), try content(2))
    var screen = content
    try pane(radius: 4).show(content, in: &screen, x: x, y: y, prepared: picture)
    let (isWhole, isTouched) = (inside(x, y, -4), inside(x, y, 1))
    for row in 0..<50 {
      for column in 0..<60 {
        if isWhole(column, row) { #expect(screen.pixel(column, row) == picture.pixel(column, row)) }
        if !isTouched(column, row) { #expect(screen.pixel(column, row) == content.pixel(column, row)) }
      }
    }
  }

  @Test("A pane beyond the screen changes nothing, and with reduced transparency a pane is plain")
  func ends() throws {
    let content = try content()
    var screen = content
    try pane().show(content, in: &screen, x: 5, y: 51)
    try pane().show(content, in: &screen, x: -22, y: 5)
    #expect(screen.bytes == content.bytes)
    try pane(reduced: true).show(content, in: &screen, x: 5, y: 5)
    #expect(screen.pixel(12, 12) == screen.pixel(20, 18) && screen.pixel(12, 12) != content.pixel(12, 12))
  }

  @Test("A lens does not distort its middle, and at its edge shifts the content by its strength")
  func refraction() throws {
    let shape = RoundedRectangle(width: 60, height: 40, radius: 10)
    let refraction = Refraction(shape, bezel: 8, strength: 12)
    // The image is a horizontal ramp: a pixel's red value is twice its column.
    var picture = try Image(.rgba8, width: 60 + 2 * refraction.margin, height: 40 + 2 * refraction.margin)
    picture.withMutableView { view in
      for y in 0..<view.layout.height {
        for x in 0..<view.layout.width {
          view.unsafeRow(y).storeBytes(of: UInt8(2 * x), toByteOffset: 4 * x, as: UInt8.self)
        }
      }
    }
    var lens = try Image(.rgba8, width: 60, height: 40)
    try picture.withViews(into: &lens) { (picture, lens) throws(BlurError) in
      try refraction.bend(picture, into: lens)
    }
    let shown = (0..<60).map { Double(lens.pixel($0, 20)[0]) / 2 - Double(refraction.margin) }
    #expect((8..<52).allSatisfy { shown[$0] == Double($0) })
    // Half a pixel inside the edge, the shift is the strength times 1 − √(1 − x²), with x = 1 − 0.5/8.
    let push = 12 * (1 - (1 - (1 - 0.5 / 8) * (1 - 0.5 / 8)).squareRoot())
    #expect(abs(shown[0] + push) <= 0.51 && abs(shown[59] - 59 - push) <= 0.51, "\(shown)")
  }

  @Test("Many cards look similar whether each is blurred by itself or all share one blur")
  func cards() throws {
    let device = Device(name: "any", width: 300, height: 400, scale: 1)
    let player = try ScenePlayer(ManyCards.scene, on: device, kernel: nil)
    let wallpaper = try Image.drawn(device) { Album(seed: 1, scale: 1).draw(into: $0) }
    let shared = try wallpaper.under(ManyCards.effect, on: device)
    #expect(ManyCards.places(0, on: try #require(.named("phone-3x"))).count >= 24)
    for frame in [70, 100] {
      let shown = try player.shown(frame)
      for (_, x, y) in ManyCards.places(frame, on: device) where y > 0 && y < 340 {
        // The chosen pixel of the card lies to the right of the last line of text. This line is shorter than
        // the others, so the pixel shows only the blurred backdrop.
        let (column, row) = (Int(x) + 85, Int(y) + 53)
        #expect(shown.pixel(column, row) == shared.pixel(column, row))
        let own = try player.shown(frame - 60).pixel(column, row)
        #expect(zip(own, shown.pixel(column, row)).allSatisfy { abs(Int($0) - Int($1)) < 80 })
      }
    }
  }
}

extension Image {
  /// A copy of the image with all pixels opaque.
  fileprivate var opaque: Image {
    var image = self
    image.withMutableView { view in
      for y in 0..<view.layout.height {
        for x in 0..<view.layout.width {
          view.unsafeRow(y).storeBytes(of: 255, toByteOffset: 4 * x + 3, as: UInt8.self)
        }
      }
    }
    return image
  }
}
