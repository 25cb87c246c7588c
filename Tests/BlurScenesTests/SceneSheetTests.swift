import Blur
import Testing

@testable import BlurScenes

@Suite("Contact sheets and compositing")
struct SceneSheetTests {
  @Test("A pixel of a reduced image is the mean of the pixels that it covers")
  func shrinking() throws {
    let values: [[UInt8]] = [[0, 10, 100, 100], [20, 30, 100, 104], [1, 1, 0, 0], [1, 2, 0, 255]]
    let bytes: [UInt8] = values.flatMap { $0 }.flatMap { [$0, 0, 255 - $0, 255] }
    let image = try Image(ImageLayout(.rgba8, width: 4, height: 4), copying: bytes.span.bytes)
    let small = try ContactSheet.shrunk(image, width: 2, height: 2)
    #expect([(0, 0), (1, 0), (0, 1), (1, 1)].map { small.pixel($0.0, $0.1)[0] } == [15, 101, 1, 64])
    #expect(small.pixel(1, 1) == [64, 0, 191, 255])
  }

  @Test("About twelve frames are chosen, including the first and the last", arguments: [1, 12, 13, 74, 200])
  func choosing(count: Int) {
    let chosen = ContactSheet.chosen(of: Array(0..<count))
    #expect(chosen.count == min(12, count))
    #expect(chosen.first == 0 && chosen.last == count - 1)
    #expect(chosen == Array(Set(chosen)).sorted())
  }

  @Test("A sheet contains its frames in order, both wide and tall ones")
  func sheet() throws {
    var sheet = ContactSheet(columns: 2, side: 10)
    for (i, size) in [(40, 20), (20, 40), (5, 5)].enumerated() {
      let device = Device(name: "any", width: size.0, height: size.1, scale: 1)
      try sheet.add(.drawn(device) { Canvas($0, scale: 1).fill(device.box, Colour(10 * i)) }, number: i)
    }
    let image = try sheet.image()
    #expect((image.layout.width, image.layout.height) == (8 + 10 + 8 + 5 + 8, 8 + 10 + 32 + 5 + 32))
    #expect(
      [(8, 8), (17, 12), (26, 8), (30, 17), (8, 50)].map { image.pixel($0.0, $0.1)[0] } == [0, 0, 10, 10, 20])
    #expect([(7, 8), (18, 12)].map { image.pixel($0.0, $0.1)[0] } == [120, 120])
    // The contact sheet prints the number of each frame below it, with digits made of bars. A 0 has a bar on
    // its left side and no bar in its middle. For the digit 1, as it is drawn here, it is the other way
    // round.
    #expect([(9, 27), (11, 29)].map { image.pixel($0.0, $0.1)[0] } == [60, 255])
    #expect([(27, 32), (33, 32)].map { image.pixel($0.0, $0.1)[0] } == [255, 60])
  }

  @Test("Every digit looks different, and all digits have the same width")
  func digits() throws {
    let device = Device(name: "any", width: 8, height: 8, scale: 1)
    let pictures = try (0...9).map { digit in
      try Image.drawn(device) {
        Canvas($0, scale: 1).fill(device.box, Colour(255))
        Canvas($0, scale: 1).number(digit, x: 0, y: 0, size: 8, Colour(0))
      }.bytes
    }
    #expect(Set(pictures).count == 10)
    // An 8 consists of all seven bars, so it covers all other digits.
    for bytes in pictures { #expect(zip(bytes, pictures[8]).allSatisfy { $0 >= $1 }) }
  }

  @Test("Signs are drawn with the opacity that their colours on black and on white imply")
  func signs() throws {
    let device = Device(name: "any", width: 24, height: 24, scale: 1)
    let draw = { (canvas: Canvas) in
      canvas.disc(x: 12, y: 12, radius: 9.4, Colour(0))
      canvas.fill(Box(8, 8, 6, 6), Colour(250, 40, 90))
    }
    let signs = try Overlay(width: 24, height: 24, scale: 1, draw)
    for ground in [0, 255, 100] {
      let below = try Image.drawn(device) { Canvas($0, scale: 1).fill(device.box, Colour(ground)) }
      let truth = try Image.drawn(device) { view in
        Canvas(view, scale: 1).fill(device.box, Colour(ground))
        draw(Canvas(view, scale: 1))
      }
      for opacity in [0, 0.5, 1] {
        var found = below
        found.withMutableView { signs.draw(onto: $0, opacity: opacity) }
        for (i, byte) in found.bytes.enumerated() {
          let exact = Double(below.bytes[i]) * (1 - opacity) + Double(truth.bytes[i]) * opacity
          try #require(abs(Double(byte) - exact) <= 1.5, "\(ground), \(opacity)")
        }
      }
    }
    // An overlay contains icons and text (signs). Black pixels belong to the overlay as well. If the overlay
    // is drawn partly or completely outside the screen, no memory outside the image may be touched.
    #expect(signs.covers(x: 12, y: 5) && !signs.covers(x: 1, y: 1))
    var screen = try device.image()
    for (x, y) in [(-20, -20), (20, 20), (-30, 0), (0, 30)] {
      screen.withMutableView { signs.draw(onto: $0, right: x, down: y) }
    }
  }

  @Test("Shares of 0 and 256 keep the bytes exactly, and other shares round once")
  func mixing() throws {
    let device = Device(name: "any", width: 8, height: 8, scale: 1)
    let above = try Image.drawn(device) { Feed(seed: 1, scale: 0.05).draw(into: $0, offset: 0) }
    let below = try Image.drawn(device) { Canvas($0, scale: 1).gradient(device.box, Colour(0), Colour(255)) }
    let (old, new) = (below.bytes, above.bytes)
    for share in 0...256 {
      var mixed = below
      above.withView { above in mixed.withMutableView { Compositing.mix(above, share, into: $0) } }
      for (i, byte) in mixed.bytes.enumerated() {
        let exact =
          (Double(old[i]) * Double(256 - share) + Double(new[i]) * Double(share)) / 256
        try #require(Double(byte) == (exact + 0.5).rounded(.down), "share \(share)")
      }
    }
    #expect(Compositing.share(0) == 0 && Compositing.share(1) == 256 && Compositing.share(0.5) == 128)
  }
}
