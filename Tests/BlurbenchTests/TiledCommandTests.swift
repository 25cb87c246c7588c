import Foundation
import TestSupport
import Testing

@Suite("Blurring images that are larger than memory")
struct TiledCommandTests {
  static let isRelease = Command.program.contains("/release/")

  #if os(Linux)
    /// The image has 144 MB of pixels. The program may use 134 MB of address space, of which it and its
    /// libraries take about 80.
    @Test(
      "Bands give the same bytes as the whole image, under a limit that is too low for the whole image",
      .enabled(if: isRelease, "the limit on memory is for release builds: left to Tests/run --all"))
    func limited() throws {
      try Scratch.folder { folder in
        try Self.write(side: 12000, to: folder.appending(path: "in.pam"))
        let limited = ["bash", "-c", "ulimit -v 131072; exec \"$@\"", "limited"]
        let blur = ["blur", "in.pam", "--sigma", "4", "--kernel", "simd"]
        let refused = try Command(blur + ["out.pam"], behind: limited, in: folder)
        #expect(refused.code == 1)
        #expect(refused.errors.contains("bytes of memory are not available"), "\(refused.errors)")
        let tiled = try Command(
          blur + ["out.pam", "--tiled", "--memory", "8M", "--verbose"], behind: limited, in: folder)
        #expect(tiled.code == 0, "\(tiled.errors)")
        #expect(tiled.errors.contains(" band(s) of up to "), "\(tiled.errors)")
        #expect(try Command(blur + ["whole.pam"], in: folder).code == 0)
        let names = ["out.pam", "whole.pam"].map { folder.appending(path: $0).path }
        #expect(FileManager.default.contentsEqual(atPath: names[0], andPath: names[1]))
      }
    }
  #endif

  @Test("Bands use the kernel that is chosen for the whole image, also onto the input file, in little memory")
  func chosen() throws {
    try Scratch.folder { folder in
      try Self.write(side: 600, to: folder.appending(path: "a.pam"))
      for sigma in ["1", "9"] {
        let whole = try Command(["blur", "a.pam", "b.pam", "--sigma", sigma, "--verbose"], in: folder)
        let tiled = try Command(
          ["blur", "a.pam", "c.pam", "--sigma", sigma, "--verbose", "--tiled", "--memory", "400K"], in: folder
        )
        #expect(tiled.code == 0, "\(tiled.errors)")
        // Both lines begin with the format, size, sigma, edge mode, kernel, instruction set and threads. The
        // rest of the lines differs.
        let kernels = [whole, tiled].map { $0.errors.split(separator: ",").prefix(4) }
        #expect(kernels[0] == kernels[1])
        #expect(!tiled.errors.contains(" 1 band(s)"), "\(tiled.errors)")
        let bytes = try ["b.pam", "c.pam"].map { try Data(contentsOf: folder.appending(path: $0)) }
        #expect(bytes[0] == bytes[1])
      }
      let bytes = try Data(contentsOf: folder.appending(path: "c.pam"))
      let again = ["--sigma", "9", "--tiled", "--memory", "400K"]
      #expect(try Command(["blur", "a.pam", "a.pam"] + again, in: folder).code == 0)
      #expect(try Data(contentsOf: folder.appending(path: "a.pam")) == bytes)
    }
  }

  /// Writes a gray PAM file, row by row.
  private static func write(side: Int, to file: URL) throws {
    let header = "P7\nWIDTH \(side)\nHEIGHT \(side)\nDEPTH 1\nMAXVAL 255\nTUPLTYPE GRAYSCALE\nENDHDR\n"
    try Data(header.utf8).write(to: file)
    let handle = try FileHandle(forWritingTo: file)
    try handle.seekToEnd()
    let noise = Data((0..<2 * side).map { UInt8(truncatingIfNeeded: ($0 &* 2_654_435_761) >> 13) })
    for y in 0..<side { try handle.write(contentsOf: noise[y..<y + side]) }
    try handle.close()
  }
}
