import Blur
import BlurVerification
import Foundation
import Testing

@testable import BlurScenes

@Suite("Screens")
struct ScreenTests {
  private static let screens: [(name: String, draw: @Sendable (MutableImageView, UInt64) -> Void)] = [
    ("feed", { Feed(seed: $1, scale: 1).draw(into: $0, offset: 45) }),
    ("split view", { SplitView(seed: $1, scale: 1).draw(into: $0) }),
    ("album", { Album(seed: $1, scale: 1).draw(into: $0) }),
  ]

  @Test(
    "Screens cover every pixel, and are the same for the same seed only", arguments: screens.indices,
    [(1, 1), (97, 61), (750, 400)])
  func covered(index: Int, size: (Int, Int)) throws {
    let screen = Self.screens[index]
    let device = Device(name: "any", width: size.0, height: size.1, scale: 1)
    let first = try Image.drawn(device) { screen.draw($0, 1) }
    let bytes = first.bytes
    #expect(stride(from: 3, to: bytes.count, by: 4).allSatisfy { bytes[$0] == 255 })
    #expect(try Image.drawn(device) { screen.draw($0, 1) }.bytes == bytes)
    if size.0 > 90 { #expect(try Image.drawn(device) { screen.draw($0, 2) }.bytes != bytes) }
  }

  @Test("A scrolled feed moves without changing", arguments: [(0, 1), (0, 137), (9_000, 9_379), (380, 381)])
  func scrolling(from: Int, to: Int) throws {
    let device = Device(name: "any", width: 800, height: 500, scale: 1)
    let before = try Image.drawn(device) { Feed(seed: 3, scale: 1).draw(into: $0, offset: from) }
    let after = try Image.drawn(device) { Feed(seed: 3, scale: 1).draw(into: $0, offset: to) }
    for y in 0..<500 - (to - from) { #expect(before.row(y + to - from) == after.row(y), "row \(y)") }
    #expect(before.bytes != after.bytes)
  }

  @Test("The ink of a disc equals its area", arguments: [2.0, 7.5, 40])
  func disc(radius: Double) throws {
    let device = Device(name: "any", width: 100, height: 100, scale: 1)
    let image = try Image.drawn(device) { view in
      let canvas = Canvas(view, scale: 1)
      canvas.fill(device.box, Colour(0))
      canvas.disc(x: 50, y: 50, radius: radius, Colour(255))
    }
    let bytes = image.bytes
    let ink = stride(from: 0, to: bytes.count, by: 4).reduce(0.0) { $0 + Double(bytes[$1]) / 255 }
    #expect(abs(ink / (.pi * radius * radius) - 1) < 0.06)
  }

  @Test("Nothing is drawn outside the current part of the canvas, or outside the screen")
  func clipping() throws {
    let device = Device(name: "any", width: 60, height: 50, scale: 1)
    let image = try Image.drawn(device) { view in
      let part = Canvas(view, scale: 1).inside(Box(10, 5, 20, 30))
      part.fill(Box(-100, -100, 500, 500), Colour(255))
      part.disc(x: 0, y: 0, radius: 400, Colour(255))
      SplitView(seed: 1, scale: 1).article(1, part.moved(-7, -9), width: 300, height: 300)
    }
    for y in 0..<50 {
      for x in 0..<60 {
        let isInside = (10..<30).contains(x) && (5..<35).contains(y)
        #expect((image.pixel(x, y)[3] == 255) == isInside, "x \(x), y \(y)")
      }
    }
  }

  @Test("Lettering has as much ink as text, neither none nor that of a bar", arguments: [0.5, 1, 2, 3])
  func lettering(scale: Double) throws {
    let device = Device(
      name: "any", width: Int(300 * scale), height: Int(60 * scale), scale: scale)
    let image = try Image.drawn(device) { view in
      let canvas = Canvas(view, scale: scale)
      canvas.fill(device.box, Colour(255))
      var random = SplitMix64(seed: 5, 1)
      Lettering(size: 14, colour: Colour(0)).paragraph(canvas, x: 0, y: 0, width: 300, lines: 3, &random)
    }
    let bytes = image.bytes
    let ink = stride(from: 0, to: bytes.count, by: 4).reduce(0) { $0 + 255 - Int(bytes[$1]) }
    let share = Double(ink) / 255 / Double(device.width * device.height)
    #expect((0.08...0.4).contains(share), "\(share)")
  }

  @Test("Colours by hue match the textbook")
  func hues() {
    let expected = [
      0: (255, 0, 0), 60: (255, 255, 0), 120: (0, 255, 0), 240: (0, 0, 255), 300: (255, 0, 255),
    ]
    for (hue, (red, green, blue)) in expected {
      #expect(Colour(hue: hue, saturation: 1, value: 1) == Colour(red, green, blue))
    }
    #expect(Colour(hue: 77, saturation: 0, value: 0.4) == Colour(102))
  }

  @Test("Devices know both orientations")
  func devices() {
    for device in Device.all {
      #expect(device.wide.width >= device.wide.height && device.tall.width <= device.tall.height)
      #expect(device.turned.turned == device)
      #expect(Device.named(device.name) == device)
    }
  }
}
