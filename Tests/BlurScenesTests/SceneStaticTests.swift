import Blur
import Testing

@testable import BlurScenes

@Suite("Scene: static-against-live")
struct SceneStaticTests {
  private let modal = StaticAgainstLive.self
  private let scene = StaticAgainstLive.scene

  /// Returns the feed in a frame. It moves by four points per frame, which is one pixel of the tiny screen.
  private func feed(_ frame: Int, on device: Device = .tiny) throws -> Image {
    try .drawn(device) { Feed(seed: 1, scale: 0.25).draw(into: $0, offset: frame % 90) }
  }

  private func dialog() throws -> CardLayer { try modal.dialog(scene, Stage(.tiny)) }

  /// Returns the blurred part of the feed that the modal moves across during its animation, and the position
  /// of this part on the screen.
  private func passed(_ frame: Int) throws -> (blurred: Image, region: Region) {
    let region = try #require(dialog().passed(Array(0..<90)))
    var part = try Image(.rgba8, width: region.width, height: region.height)
    part.gather(try feed(frame), x: region.x, y: region.y)
    return (try part.under(modal.effect, on: .tiny), region)
  }

  @Test("The part that is blurred once is what the modal passes")
  func passing() throws {
    let region = try #require(dialog().passed(Array(0..<90)))
    #expect(region.x == 5 && region.columns.upperBound == 96 && region.rows.upperBound == 128)
    // During the animation, the spring carries the modal upwards past its resting position, and past the top
    // of the screen. The part of the screen that it moves across therefore begins in the top row.
    #expect(region.y == 0)
  }

  @Test("The finger's path passes through its samples, and continues the direction of the last two")
  func finger() {
    let samples = StaticAgainstLive.fingerPath
    #expect(samples.count > 30 && samples[0] == (0, 0, 0))
    for sample in samples {
      let place = StaticAgainstLive.finger(sample.time / 1000)
      #expect(abs(place.x - sample.x / 1000) < 1e-9 && abs(place.y - sample.y / 1000) < 1e-9)
    }
    for (a, b) in zip(samples, samples.dropFirst()) { #expect(a.time < b.time && a.y < b.y && a.x < b.x) }
    let (last, before) = (samples[samples.count - 1], samples[samples.count - 2])
    let beyond = StaticAgainstLive.finger((2 * last.time - before.time) / 1000)
    #expect(abs(beyond.y - (2 * last.y - before.y) / 1000) < 1e-9)
  }

  /// Returns the pixels of the modal at its resting position that show only the blurred backdrop: all except
  /// those near its border and those of the form in it.
  private func clear(_ device: Device) throws -> [(x: Int, y: Int)] {
    let isAroundForm = aroundForm(on: device)
    return (9..<device.height - 9).flatMap { y in
      (9..<device.width - 9).filter { isAroundForm($0, y) }.map { ($0, y) }
    }
  }

  @Test("The modal springs in, rests and is dragged away, the same in both parts")
  func animation() {
    #expect(modal.place(0).y == 1 && modal.place(36) == (0, 0) && modal.place(59) == (0, 0))
    #expect((1..<36).contains { modal.place($0).y < -0.05 }, "it goes beyond its place")
    let drag = (60..<90).map { modal.place($0) }
    #expect(zip(drag, drag.dropFirst()).allSatisfy { $0.y < $1.y && $0.x < $1.x } && drag[29].y > 0.95)
    #expect((0..<90).allSatisfy { modal.place($0) == modal.place(90 + $0) })
    #expect((180..<240).allSatisfy { modal.place($0) == (0, 0) })
    // The spring starts with an initial velocity, which determines how far the modal moves in the first
    // frame. The pull of the spring adds a little to this distance.
    let first = 1 - modal.place(1).y
    #expect(
      first > 0.6 / 60 && first < 0.6 / 60 + 0.5 * modal.spring.frequency * modal.spring.frequency / 3600)
  }

  @Test(
    "The staleness of the snapshot is the difference between the blurs of the two moments",
    arguments: [0, 40, 59, 75])
  func staleness(frame: Int) throws {
    let player = try ScenePlayer(scene)
    for earlier in 0...frame { _ = try player.shown(earlier) }
    let findings = player.findings(frame)
    let ((then, area), (now, _)) = (try passed(0), try passed(frame))
    let region = try dialog().passed([frame])
    var (largest, sum, count) = (0, 0, 0)
    if let region {
      for y in region.rows {
        for x in region.columns {
          let pairs = zip(then.pixel(x - area.x, y - area.y), now.pixel(x - area.x, y - area.y))
          for difference in pairs.map({ abs(Int($0) - Int($1)) }) {
            largest = max(largest, difference)
            sum += difference
            count += 1
          }
        }
      }
    }
    #expect(findings["stale_levels"] == Double(largest) && findings["live"] == 0)
    #expect(abs((findings["stale_mean_levels"] ?? -1) - Double(sum) / Double(max(1, count))) < 1e-9)
    #expect((region == nil) == (frame == 0) && (largest > 0) == (frame > 0))
  }

  @Test("In the first part, the modal shows the snapshot's pixels at their places", arguments: [36, 50])
  func snapshot(frame: Int) throws {
    let shown = try ScenePlayer(scene).shown(frame)
    let (expected, area) = try passed(0)
    for (x, y) in try clear(.tiny) {
      #expect(shown.pixel(x, y) == expected.pixel(x - area.x, y - area.y))
    }
  }

  @Test(
    "When live, only the content below the modal is blurred, as it is at that moment",
    arguments: [126, 140, 200, 230])
  func live(frame: Int) throws {
    let device = frame < 210 ? Device.tiny : .tiny.turned
    let player = try ScenePlayer(scene)
    let (shown, content) = (try player.shown(frame), try feed(frame, on: device))
    // The modal has a margin of 20 points, which are 5 pixels, on all sides. The image that is blurred is one
    // row and one column larger than the modal.
    var below = try Image(.rgba8, width: device.width - 9, height: device.height - 9)
    below.gather(content, x: 5, y: 5)
    let expected = try below.under(modal.effect, on: device)
    for (x, y) in try clear(device) { #expect(shown.pixel(x, y) == expected.pixel(x - 5, y - 5)) }
    for y in 0..<4 { #expect(shown.row(y) == content.row(y)) }
    #expect(player.findings(frame) == ["live": 1, "stale_levels": 0, "stale_mean_levels": 0])
  }
}
