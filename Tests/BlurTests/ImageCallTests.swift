import BlurWisdom
import Foundation
import TestSupport
import Testing

@testable import Blur

@Suite("Calls that blur one image")
struct ImageCallTests {
  private static let layout = try! ImageLayout(.rgba8, width: 90, height: 70, stride: 371)
  private static let region = Region(x: 20, y: 11, width: 31, height: 17)

  @Test("A named plan gives the same pixels as the calls that make one")
  func sameAsPlan() throws {
    let image = try Image.noise(Self.layout)
    let sigma = try Sigma(x: 3, y: 7)
    let plan = try BlurPlan(for: image.layout, BlurParameters(sigma: sigma, edge: .wrap))
    var whole = try Image(image.layout)
    try plan.blur(image, into: &whole)
    #expect(whole != image)
    #expect(try image.blurred(sigma: sigma, edge: .wrap) == whole)
    // An exact kernel is within a level of another one, which the choice for a region may be.
    let part = try image.blurred(sigma: sigma, region: Self.region, edge: .wrap)
    #expect(part.layout == (try ImageLayout(.rgba8, width: 31, height: 17)))
    for y in 0..<17 {
      let row = part.withRow(y, as: UInt8.self) { row in row.indices.map { Int(row[$0]) } }
      let expected = whole.withRow(11 + y, columns: Self.region.columns, as: UInt8.self) { row in
        row.indices.map { Int(row[$0]) }
      }
      #expect(zip(row, expected).allSatisfy { abs($0 - $1) <= 2 }, "row \(y)")
    }
  }

  @Test("Blurring in place changes the image, or only the region")
  func inPlace() throws {
    let image = try Image.noise(Self.layout)
    var blurred = image
    try blurred.blur(sigma: 4, edge: .mirror)
    #expect(blurred == (try image.blurred(sigma: 4, edge: .mirror)) && blurred != image)

    var frosted = image
    try frosted.blur(sigma: 4, region: Self.region, edge: .mirror)
    let part = try image.blurred(sigma: 4, region: Self.region, edge: .mirror)
    #expect(Self.firstDifference(of: frosted, from: part, in: Self.region, on: image) == nil)
    #expect(throws: BlurError.invalidRegion(Region(x: 80, y: 0, width: 11, height: 1), image.layout)) {
      try frosted.blur(sigma: 4, region: Region(x: 80, y: 0, width: 11, height: 1))
    }
  }

  /// Returns the first pixel at which `image` is not `part` inside the region, or not `background` elsewhere.
  private static func firstDifference(
    of image: Image, from part: Image, in region: Region, on background: Image
  ) -> String? {
    for y in 0..<image.layout.height {
      for x in 0..<image.layout.width {
        let isInside = region.rows.contains(y) && region.columns.contains(x)
        let expected = isInside ? pixel(part, x - region.x, y - region.y) : pixel(background, x, y)
        if pixel(image, x, y) != expected { return "x \(x), y \(y)" }
      }
    }
    return nil
  }

  private static func pixel(_ image: Image, _ x: Int, _ y: Int) -> [UInt8] {
    image.withRow(y, columns: x..<x + 1, as: UInt8.self) { row in row.indices.map { row[$0] } }
  }

  @Test("A plan blurs a part of one image into a part of another")
  func parts() throws {
    let image = try Image.noise(Self.layout)
    let part = Region(x: 40, y: 30, width: 31, height: 17)
    var cut = try Image(.rgba8, width: 31, height: 17)
    for y in 0..<17 {
      let row = image.withRow(30 + y, columns: part.columns, as: UInt8.self) { row in
        row.indices.map { row[$0] }
      }
      cut.withMutableRow(y, as: UInt8.self) { target in
        for x in target.indices { target[x] = row[x] }
      }
    }
    let plan = try BlurPlan(for: cut.layout, sigma: 3, edge: .mirror)
    var (expected, result) = (try Image(cut.layout), try Image.noise(Self.layout))
    try plan.blur(cut, into: &expected)
    try plan.blur(image, from: part, into: &result, at: Self.region)
    #expect(Self.firstDifference(of: result, from: expected, in: Self.region, on: image) == nil)
    #expect(throws: BlurError.self) { try plan.blur(image, into: &result, at: Self.region) }
    #expect(throws: BlurError.self) { try plan.blur(image, from: part, into: &result) }
    let beyond = Region(x: 60, y: 0, width: 31, height: 17)
    #expect(throws: BlurError.invalidRegion(beyond, image.layout)) {
      try plan.blur(image, from: part, into: &result, at: beyond)
    }
  }

  @Test("Plans for a sigma share scratch memory")
  func scratch() throws {
    let scratch = SharedScratch()
    let plan = try BlurPlan(for: Self.layout, sigma: 30, scratch: scratch)
    #expect(scratch.byteCount >= plan.scratchBytes && plan.scratchBytes > 0)
  }

  @Test("Images are equal if their pixels have the same bits, whatever the padding is")
  func equality() throws {
    let padded = try Image(
      ImageLayout(.gray8, width: 2, height: 2, stride: 3), copying: ([1, 2, 99, 3, 4] as [UInt8]).span.bytes)
    let packed = try Image(
      ImageLayout(.gray8, width: 2, height: 2), copying: ([1, 2, 3, 4] as [UInt8]).span.bytes)
    #expect(padded == packed)
    for y in 0..<2 {
      for x in 0..<2 {
        var other = packed
        other.withMutableRow(y, as: UInt8.self) { $0[x] ^= 128 }
        #expect(other != padded, "\(x), \(y)")
      }
    }
    let others = try [ImageLayout(.gray8, width: 4, height: 1), ImageLayout(.gray16, width: 1, height: 2)]
    for layout in others { #expect(try Image(layout, copying: [1, 2, 3, 4].span.bytes) != packed) }
    var nan = try Image(.grayf32, width: 1, height: 1)
    nan.withMutableRow(0, as: Float.self) { $0[0] = .nan }
    #expect(nan == nan)
  }

  @Test("Descriptions are one short line")
  func descriptions() throws {
    #expect("\(try Image(Self.layout))" == "rgba8 90x70, stride 371")
    #expect("\(try ImageLayout(.gray16, width: 3, height: 4))" == "gray16 3x4")
    #expect("\(Self.region)" == "31x17 at x 20, y 11")
    #expect("\(try Sigma(2)), \(try Sigma(x: 2.5, y: 4))" == "2, x 2.5, y 4")
    let parameters = BlurParameters(
      sigma: try Sigma(3), edge: .wrap, region: Self.region, instructionSet: .baseline)
    let plan = try BlurPlan(Registry.kernel(named: "separable"), for: Self.layout, parameters)
    #expect(
      "\(plan)"
        == "separable (baseline): rgba8 90x70, stride 371, sigma 3, edge wrap, region 31x17 at x 20, y 11")
  }

  @Test("Foundation shows the text of an error")
  func localizedErrors() throws {
    let error: any Error = BlurError.invalidThreads(0)
    #expect(error.localizedDescription == "threads 0: must be from 1 to 1024")
    let failure: any Error = WisdomFile.Failure.unwritable(path: "w.json", reason: "disk full")
    #expect(failure.localizedDescription == "w.json: cannot be written: disk full")
  }

  @Test("All edge modes have different names, and each is found by its name")
  func edgeModes() {
    #expect(EdgeMode.allCases.map(\.name) == ["clamp", "mirror", "reflect", "wrap", "constant"])
    for mode in EdgeMode.allCases { #expect(EdgeMode(name: mode.name) == mode) }
  }

  /// In float images, 255 as full scale makes promised errors 255 times as large.
  @Test("A bound in the units of float images is kept for values up to their full scale")
  func floatRange() throws {
    let bound = ErrorBound.difference(0.004, ofFullScale: 255)
    #expect(bound.levels == 0.004)
    var image = try Image(.grayf32, width: 300, height: 1)
    image.withMutableRow(0, as: Float.self) { row in
      for x in 150..<300 { row[x] = 255 }
    }
    let soft = try image.blurred(sigma: 9, accuracy: bound)
    let values = soft.withRow(0, as: Float.self) { row in row.indices.map { Double(row[$0]) } }
    let weights = (-200...200).map { exp(-Double($0 * $0) / (2 * 9 * 9)) }
    let sum = weights.reduce(0, +)
    for x in 100..<200 {
      // The step is at column 150. A pixel at distance `d` is white if `x + d` is at least 150.
      let white: Double = weights[(150 - x + 200)...].reduce(0, +)
      let exact = 255 * white / sum
      #expect(abs(values[x] - exact) <= 0.004, "column \(x)")
    }
  }
}
