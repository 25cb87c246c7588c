import Blur
import Foundation
import TestSupport
import Testing

@testable import BlurFiles

@Suite("Blurring an image in bands")
struct TiledTests {
  /// The kernels that can blur an image in bands of rows, so that the whole image never has to be in memory.
  static let kernels = [
    "naive", "separable", "box-triple", "image-effect-boxes", "dct-fine", "dct", "simd-fine", "simd",
    "pyramid-fine", "pyramid",
  ]

  /// The kinds of image file that can be read row by row. `ending` is the file name's extension.
  static let files: [(ending: String, channels: Int, depth: Samples.Depth, isOpaque: Bool)] = [
    ("pgm", 1, .bits8, true), ("pgm", 1, .bits16, true), ("ppm", 3, .bits8, true), ("pam", 4, .bits8, false),
    ("pam", 2, .bits8, true), ("pam", 4, .bits16, false), ("pfm", 1, .float, true), ("pfm", 4, .float, false),
    ("png", 1, .bits8, true), ("png", 4, .bits8, false), ("png", 3, .bits16, true),
    ("png", 2, .bits16, false),
  ]

  @Test(
    "Bands give the same bytes as the whole image, with every kernel that can blur in bands",
    arguments: kernels)
  func sameBytes(name: String) throws {
    let kernel = try Registry.kernel(named: name)
    try Trial.inFolder { trial in
      for (index, kind) in Self.files.enumerated() {
        // Some sizes are odd, some images are one pixel wide or high, and a large sigma reaches beyond the
        // whole image.
        let (width, height) = [(23, 41), (1, 57), (37, 1), (6, 80)][index % 4]
        try trial.write(width, height, kind)
        for (edgeIndex, edge) in [EdgeMode.clamp, .mirror, .reflect, .transparent].enumerated() {
          let sigmas = [0, 0.6, 2.5, 14].enumerated().filter { sigma in
            Tiers.isAll || (sigma.offset + edgeIndex + index / 4) % 3 == 0
          }
          for sigma in sigmas.map(\.element) where name != "naive" || sigma < 2 {
            let parameters = BlurParameters(sigma: try Sigma(x: 1.5, y: sigma), edge: edge)
            try trial.expectSame(kernel, parameters, heights: [1, 7, 24])
          }
        }
      }
      // image-effect-boxes supports only 8-bit formats and one edge mode. The other kernels support most
      // formats and edge modes.
      #expect(
        trial.compared >= (name == "image-effect-boxes" ? 30 : 100) / (Tiers.isAll ? 1 : 3),
        "\(name): \(trial.compared)")
    }
  }

  @Test(
    "Bands of larger images give the same bytes as the whole image on several threads",
    arguments: ["simd", "pyramid"])
  func threads(name: String) throws {
    try Trial.inFolder { trial in
      try trial.write(150, 300, ("pgm", 1, .bits8, true))
      for sigma in [3.0, 9] {
        let parameters = BlurParameters(sigma: try Sigma(sigma), edge: .mirror)
        try trial.expectSame(Registry.kernel(named: name), parameters, heights: [16, 31, 200], threads: 3)
      }
    }
  }

  /// Shows that comparing the bytes of files, as the tests above do, detects wrong rows.
  @Test("A band that reads one row too high changes the result, and a band one row short is an error")
  func wrongReader() throws {
    try Trial.inFolder { trial in
      try trial.write(31, 60, ("pgm", 1, .bits8, true))
      let tiled = try TiledBlur(reading: trial.input)
      let kernel = try Registry.kernel(named: "simd")
      let right = try Bands(
        kernel, for: tiled.layout, BlurParameters(sigma: Sigma(2)), rowsPerBand: 20)
      try tiled.blur(right, to: trial.output)
      let result = try Data(contentsOf: URL(filePath: trial.output))
      let reads = right.all[1].reads
      var shifted = right
      shifted.all[1].reads = Region(x: 0, y: reads.y - 1, width: reads.width, height: reads.height)
      shifted.all[1].firstHeld -= 1
      try tiled.blur(shifted, to: trial.output)
      #expect(try Data(contentsOf: URL(filePath: trial.output)) != result)
      var short = right
      short.all[1].reads = Region(x: 0, y: reads.y, width: reads.width, height: reads.height - 1)
      #expect(throws: BlurError.self) { try tiled.blur(short, to: trial.output) }
    }
  }

  @Test("Bands respect the memory bound, and the minimum that the error names is enough", arguments: kernels)
  func memory(name: String) throws {
    let kernel = try Registry.kernel(named: name)
    let layout = try ImageLayout(.gray8, width: 300, height: 2000)
    for sigma in [0.5, 4, 60] where name != "naive" || sigma < 5 {
      let parameters = BlurParameters(sigma: try Sigma(sigma))
      let error = #expect(throws: MemoryBoundError.self) {
        try Bands(kernel, for: layout, parameters, memory: 1)
      }
      let least = try #require(error?.needed)
      var heights: [Int] = []
      for memory in [least, 2 * least, 16 * least, 1 << 30] {
        let bands = try Bands(kernel, for: layout, parameters, memory: memory)
        #expect(bands.byteCount <= memory)
        #expect(bands.all.flatMap(\.rows) == Array(0..<2000))
        heights.append(bands.rowsPerBand)
      }
      #expect(heights == heights.sorted() && heights.last == 2000, "\(heights)")
    }
  }

  @Test("Cases that need the whole image are rejected, and the error names the kernel")
  func refusals() throws {
    let gray = try ImageLayout(.gray8, width: 30, height: 30)
    let parameters = BlurParameters(sigma: try Sigma(2))
    for name in ["fft", "deriche-3", "dual-kawase"] {
      let kernel = try Registry.kernel(named: name)
      let error = #expect(throws: BlurError.self) {
        try Bands(kernel, for: gray, parameters, memory: 1 << 30)
      }
      #expect(error?.description.contains(name) == true)
    }
    let float = try ImageLayout(.grayf32, width: 30, height: 30)
    let strong = BlurParameters(sigma: try Sigma(20))
    #expect(throws: BlurError.self) {
      try Bands(Registry.kernel(named: "box-triple"), for: float, strong, memory: 1 << 30)
    }
    let wrapped = BlurParameters(sigma: try Sigma(2), edge: .wrap)
    #expect(throws: BlurError.self) {
      try Bands(Registry.kernel(named: "simd"), for: gray, wrapped, memory: 1 << 30)
    }
  }

  @Test("Interlaced PNG files are rejected, and the message says so")
  func interlaced() throws {
    try Trial.inFolder { trial in
      let file = PlainPNG(width: 9, height: 7, depth: 8, type: .gray, interlaced: true) { x, y, _ in x + y }
      try Data(file.bytes).write(to: URL(filePath: trial.input))
      let error = #expect(throws: ImageFileError.self) { try TiledBlur(reading: trial.input) }
      #expect(error?.description.contains("interlaced") == true, "\(String(describing: error))")
    }
  }

  @Test("The output may overwrite the input file, and an error halfway leaves that file unchanged")
  func sameFile() throws {
    try Trial.inFolder { trial in
      try trial.write(20, 50, ("pgm", 1, .bits8, true))
      let parameters = BlurParameters(sigma: try Sigma(3))
      let simd = try Registry.kernel(named: "simd")
      let whole = try trial.whole(simd, parameters)
      let tiled = try TiledBlur(reading: trial.input)
      let bands = try Bands(simd, for: tiled.layout, parameters, rowsPerBand: 4)
      try tiled.blur(bands, to: trial.input)
      #expect(try Data(contentsOf: URL(filePath: trial.input)) == whole)
      // The sample in the last row exceeds the maximum of 100 that the header declares.
      let bad = Data("P5 20 50 100\n".utf8) + Data(count: 999) + Data([200])
      try bad.write(to: URL(filePath: trial.input))
      let damaged = try TiledBlur(reading: trial.input)
      let error = #expect(throws: ImageFileError.self) { try damaged.blur(bands, to: trial.input) }
      #expect(error?.description.contains("sample of 200") == true, "\(String(describing: error))")
      #expect(try Data(contentsOf: URL(filePath: trial.input)) == bad)
      #expect(try FileManager.default.contentsOfDirectory(atPath: trial.folder.path).count == 2)
    }
  }
}

/// An image file in a temporary folder, which is blurred as a whole and in bands to compare the results.
private final class Trial {
  let folder: URL
  private var ending = "pgm"
  private(set) var compared = 0

  var input: String { folder.appending(path: "in.\(ending)").path }
  var output: String { folder.appending(path: "out.\(ending)").path }

  private init(_ folder: URL) { self.folder = folder }

  static func inFolder(_ body: (Trial) throws -> Void) throws {
    try Scratch.folder { try body(Trial($0)) }
  }

  /// Writes an image of noise to the input file.
  func write(
    _ width: Int, _ height: Int, _ kind: (ending: String, channels: Int, depth: Samples.Depth, isOpaque: Bool)
  ) throws {
    ending = kind.ending
    let shape = Samples.Shape(width: width, height: height, channels: kind.channels, depth: kind.depth)
    var samples = Samples(shape)
    var state: UInt32 = 1
    for i in 0..<height * shape.rowCount {
      state = state &* 1_664_525 &+ 1_013_904_223
      let isAlpha = shape.hasAlpha && i % kind.channels == kind.channels - 1
      samples.setShare(i, isAlpha && kind.isOpaque ? 1 : Double(state >> 8) / Double(1 << 24))
    }
    // The file is not written from a `Picture`, because a `Picture` discards the colour of pixels whose alpha
    // is 0.
    let kind = try FileFormat(of: shape, ending: ending)
    try OutputFile.write(to: input) { file in
      let writer = try kind.writer(PictureMetadata(), file)
      for y in 0..<height {
        let bytes = samples.bytes[y * shape.rowBytes..<(y + 1) * shape.rowBytes]
        try writer.write(Samples(shape.row, bytes: Array(bytes)))
      }
      try writer.finish(with: PictureMetadata())
    }
  }

  /// Blurs the whole input image at once, writes the output file, and returns the bytes of that file.
  func whole(_ kernel: Kernel, _ parameters: BlurParameters) throws -> Data {
    var picture = try ImageFile.read(input)
    var result = try Image(picture.image.layout)
    try BlurPlan(kernel, for: result.layout, parameters).blur(picture.image, into: &result)
    picture.image = result
    try ImageFile.write(picture, to: output)
    return try Data(contentsOf: URL(filePath: output))
  }

  /// Expects that blurring in bands of each height gives the same file as blurring the whole image. Skips the
  /// heights at which the kernel cannot blur this image in bands.
  func expectSame(
    _ kernel: Kernel, _ parameters: BlurParameters, heights: [Int], threads: Int = 1
  ) throws {
    let tiled = try TiledBlur(reading: input)
    var whole: Data?
    for height in heights where height <= tiled.layout.height {
      let bands: Bands
      do throws(BlurError) {
        bands = try Bands(kernel, for: tiled.layout, parameters, threads: threads, rowsPerBand: height)
      } catch .unsupported { continue }
      let expected = try whole ?? self.whole(kernel, parameters)
      whole = expected
      try tiled.blur(bands, to: output)
      #expect(
        try Data(contentsOf: URL(filePath: output)) == expected,
        "\(kernel.name) \(tiled.layout), \(parameters), bands of \(height)")
      compared += 1
    }
  }
}
