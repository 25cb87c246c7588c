import Foundation
import Testing

@testable import Blur

@Suite("Tiles")
struct TileTests {
  /// The kernels that read only a part of the image if the region is small.
  static let modest = [
    "naive", "separable", "box-triple", "image-effect-boxes", "dct-fine", "dct", "simd-fine", "simd",
    "pyramid-fine", "pyramid",
  ]

  @Test(
    "A small region of a large image needs less than all of it, and enough for its window",
    arguments: modest)
  func lessThanEverything(name: String) throws {
    let kernel = try Registry.kernel(named: name)
    let layout = try ImageLayout(.gray8, width: 400, height: 300)
    let pixel = Region(x: 200, y: 150, width: 1, height: 1)
    for sigma in [0, 2.0, 12] {
      let plan = try BlurPlan(kernel, for: layout, BlurParameters(sigma: Sigma(sigma), region: pixel))
      let reads = plan.reads
      #expect(reads.fits(layout) && reads.width < 400 && reads.height < 300, "\(reads)")
      // No kernel can promise an error of 1 level if it reads less than two sigma on each side.
      let reach = Int(2 * sigma)
      #expect(reads.columns.contains(200 - reach) && reads.columns.contains(200 + reach))
      #expect(reads.rows.contains(150 - reach) && reads.rows.contains(150 + reach))
    }
  }

  @Test("Positions beyond the ends of a line of ten pixels map to the right pixels")
  func spans() {
    let cases: [(EdgeMode, Range<Int>, Range<Int>)] = [
      (.clamp, 3..<7, 3..<7), (.clamp, -4..<3, 0..<3), (.clamp, 8..<15, 8..<10), (.clamp, -9..<30, 0..<10),
      (.transparent, -4..<3, 0..<3), (.transparent, 8..<15, 8..<10),
      // Position −4 is pixel 4 if mirrored about pixel 0, and pixel 3 if mirrored about the border.
      (.mirror, -4..<3, 0..<5), (.reflect, -4..<3, 0..<4), (.mirror, -1..<3, 0..<3),
      (.reflect, -1..<3, 0..<3),
      // Position 14 is pixel 4 if mirrored about pixel 9, and pixel 5 if mirrored about the border.
      (.mirror, 8..<15, 4..<10), (.reflect, 8..<15, 5..<10), (.mirror, -40..<3, 0..<10),
      (.wrap, 3..<7, 3..<7), (.wrap, -1..<3, 0..<10), (.wrap, 8..<11, 0..<10),
    ]
    for (edge, positions, span) in cases {
      #expect(edge.span(of: positions, count: 10) == span, "\(edge.name) \(positions)")
    }
  }

  @Test("A tile of another size or format is rejected, but not one with another stride")
  func mismatch() throws {
    let layout = try ImageLayout(.gray8, width: 200, height: 100)
    let parameters = BlurParameters(
      sigma: try Sigma(2), region: Region(x: 100, y: 0, width: 5, height: 4))
    let plan = try BlurPlan(Registry.kernel(named: "separable"), for: layout, parameters)
    var result = try Image(.gray8, width: 5, height: 4)
    let (width, height) = (plan.reads.width, plan.reads.height)
    for (format, width, height) in [
      (PixelFormat.gray8, width + 1, height), (.gray8, width, height - 1), (.gray16, width, height),
      (.gray8, 200, 100),
    ] {
      let tile = try Image(format, width: width, height: height)
      #expect(throws: BlurError.self) { try plan.blur(tile: tile, into: &result) }
    }
    let tile = try Image(ImageLayout(.gray8, width: width, height: height, stride: width + 13))
    try plan.blur(tile: tile, into: &result)
    var small = try Image(.gray8, width: 4, height: 4)
    #expect(throws: BlurError.self) { try plan.blur(tile: tile, into: &small) }
  }

  /// The rows of the tile lie between pages that cannot be read, so reading anything else crashes the test
  /// program.
  @Test(
    "Nothing outside the tile is read", arguments: Registry.kernels.map(\.name),
    [PixelFormat.gray8, .rgba16, .grayf32])
  func unreadableSurroundings(name: String, format: PixelFormat) throws {
    let image = try Self.picture(ImageLayout(format, width: 90, height: 70))
    for set in InstructionSet.available {
      for (edge, sigma) in [(EdgeMode.clamp, 1.5), (.mirror, 4), (.wrap, 1), (.transparent, 9)] {
        for region in [
          Region(x: 0, y: 0, width: 7, height: 5), Region(x: 83, y: 66, width: 7, height: 4),
          Region(x: 41, y: 33, width: 1, height: 1), Region(x: 40, y: 0, width: 19, height: 70),
        ] {
          let parameters = BlurParameters(
            sigma: try Sigma(sigma), edge: edge, region: region, instructionSet: set)
          let kernel = try Registry.kernel(named: name)
          if kernel.planningError(of: parameters, for: image.layout) != nil { continue }
          let plan = try BlurPlan(kernel, for: image.layout, parameters, threads: 2)
          for end in [IsolatedPixels.End.first, .last] {
            var result = try Image(format, width: region.width, height: region.height)
            try image.withView { view in
              let tile = try IsolatedPixels(view.cropped(to: plan.reads), flush: end)
              try result.withMutableView { try plan.blur(tile: tile.view, into: $0) }
            }
          }
        }
      }
    }
  }

  /// If sigma differs by axis, the blur needs more rows than columns around the region, or the reverse. With
  /// a large sigma, pyramids have several levels.
  @Test("Nothing outside the tile is read in long images", arguments: modest, [(2.0, 7.0), (7, 2), (24, 24)])
  func longImages(name: String, sigma: (x: Double, y: Double)) throws {
    let image = try Self.picture(ImageLayout(.gray8, width: 70, height: 640))
    let kernel = try Registry.kernel(named: name)
    for edge in [EdgeMode.clamp, .mirror] {
      for region in [
        Region(x: 0, y: 0, width: 9, height: 3), Region(x: 61, y: 637, width: 9, height: 3),
        Region(x: 30, y: 300, width: 7, height: 5),
      ] {
        let parameters = BlurParameters(
          sigma: try Sigma(x: sigma.x, y: sigma.y), edge: edge, region: region)
        if kernel.planningError(of: parameters, for: image.layout) != nil { continue }
        let plan = try BlurPlan(kernel, for: image.layout, parameters)
        var result = try Image(.gray8, width: region.width, height: region.height)
        try image.withView { view in
          let tile = try IsolatedPixels(view.cropped(to: plan.reads), flush: .first)
          try result.withMutableView { try plan.blur(tile: tile.view, into: $0) }
        }
      }
    }
  }

  /// Returns an image in which neighbouring components differ.
  private static func picture(_ layout: ImageLayout) throws -> Image {
    var image = try Image(layout)
    image.withMutableView { view in
      for i in 0..<layout.rowComponents * layout.height {
        switch layout.format.component {
        case .uint8: view.unsafeBase.setComponent(i, to: UInt8(truncatingIfNeeded: i &* 37))
        case .uint16: view.unsafeBase.setComponent(i, to: UInt16(truncatingIfNeeded: i &* 7919))
        case .float32: view.unsafeBase.setComponent(i, to: Float(i % 101) / 101)
        }
      }
    }
    return image
  }
}

/// Pixels without padding that directly follow, or directly precede, a page that cannot be read.
private final class IsolatedPixels {
  enum End { case first, last }

  let view: ImageView
  private let memory: UnsafeMutableRawPointer
  private let byteCount: Int

  init(_ source: ImageView, flush end: End) throws {
    let page = Int(getpagesize())
    let layout = try ImageLayout(
      source.layout.format, width: source.layout.width, height: source.layout.height)
    let room = (layout.byteCount + page - 1) / page * page
    byteCount = room + 2 * page
    memory = try #require(mmap(nil, byteCount, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))
    try #require(mprotect(memory + page, room, PROT_READ | PROT_WRITE) == 0)
    // SAFETY: the writable pages between the first and the last page hold at least the layout's bytes, and
    // `base` leaves that many before their end.
    let base = memory + page + (end == .first ? 0 : room - layout.byteCount)
    for y in 0..<layout.height {
      (base + y * layout.stride).copyMemory(from: source.unsafeRow(y), byteCount: layout.rowBytes)
    }
    view = ImageView(base, layout)
  }

  deinit { munmap(memory, byteCount) }
}
