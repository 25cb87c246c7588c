import Blur
import Testing

@testable import BlurScenes

@Suite("Scenes of current interfaces")
struct SceneTodayTests {
  private let device = Device(name: "any", width: 240, height: 480, scale: 1)

  private func feed(_ points: Double) throws -> Image {
    try .drawn(device) { Feed(seed: 1, scale: 1).draw(into: $0, offset: Int(points)) }
  }

  @Test("Acrylic: the grain stays fixed to the screen while the feed scrolls below it")
  func grain() throws {
    let player = try ScenePlayer(AcrylicPane.scene, on: device, kernel: nil)
    var plain = AcrylicPane.effect
    plain.noise = 0
    // Returns the grain of a frame, which is the difference between the frame and its backdrop without noise,
    // apart from rounding.
    func grain(_ frame: Int, _ offset: Int = 0) throws -> [Int] {
      let shown = try player.shown(frame)
      var strip = try Image(.rgba8, width: 144, height: 480)
      strip.gather(try feed(2 * Double(frame)), x: 0, y: 0)
      let smooth = try strip.under(plain, on: device)
      return (0..<60).flatMap { y in
        (20..<120).map { x in Int(shown.pixel(x, y + offset)[1]) - Int(smooth.pixel(x, y + offset)[1]) }
      }
    }
    let (first, later, elsewhere) = (try grain(40), try grain(70), try grain(70, 3))
    let same = zip(first, later).count { abs($0 - $1) <= 1 }
    #expect(same == first.count, "\(same) of \(first.count)")
    // The grain reaches two levels in both directions.
    #expect((first.max() ?? 0) >= 2 && (first.min() ?? 0) <= -2)
    #expect(zip(first, elsewhere).count { abs($0 - $1) <= 1 } < first.count * 9 / 10)
  }

  @Test("The card shows only what is below it, whatever surrounds it")
  func card() throws {
    let (_, x, y) = RoundedCard.place(50, on: device)
    let player = try ScenePlayer(RoundedCard.scene, on: device, kernel: nil)
    let (shown, content) = (try player.shown(50), try feed(100))
    let region = try #require(player.backdrop(50))
    // The card has 192 × 220 pixels. When it lies between whole pixels, it covers parts of one more row and
    // one more column.
    var below = try Image(.rgba8, width: 193, height: 221)
    below.gather(content, x: Int(x), y: Int(y))
    let expected = try below.under(RoundedCard.effect, on: device)
    var count = 0
    for row in region.rows {
      for column in region.columns {
        #expect(shown.pixel(column, row) == expected.pixel(column - Int(x), row - Int(y)))
        count += 1
      }
    }
    #expect(count > 100)
    let beside = try content.under(RoundedCard.effect, on: device)
    #expect(region.rows.contains { beside.row($0) != shown.row($0) }, "its neighbourhood would be seen")
  }

  @Test("The progressive bar has no visible lower edge, unlike a bar with a single sigma")
  func edge() throws {
    let height = 120
    let player = try ScenePlayer(ProgressiveBar.scene, on: device, kernel: nil)
    for frame in [20, 80] {
      let content = try feed(3 * Double(frame % 60))
      let shown = try player.shown(frame)
      // Returns the largest difference between a row of an image and the content.
      func difference(_ image: Image, _ y: Int) -> Int {
        zip(image.row(y), content.row(y)).map { abs(Int($0) - Int($1)) }.max() ?? 0
      }
      #expect(difference(shown, height) == 0)
      #expect(difference(shown, height - 1) <= 2)
      // The blur grows from row to row, without a sudden step.
      let means = (22..<39).map { y in
        zip(shown.row(y), content.row(y)).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }
      }
      #expect(means.allSatisfy { $0 > 0 })
      let uniform = try content.under(BackdropEffect(name: "bar", sigma: 16, edge: .mirror), on: device)
      #expect(difference(uniform, height - 1) > 20)
    }
  }
}
