import Blur
import Foundation
import TestSupport

@testable import BlurFiles

/// A PNG file that was read, blurred with sigma 0 and written in bands of rows.
struct CopyInBands {
  /// The new file.
  let bytes: [UInt8]
  /// The metadata of the old file, with all notes.
  let metadata: PictureMetadata
  /// The sentences about everything that the new file cannot hold.
  let losses: [String]

  /// - Parameters:
  ///   - file: The bytes of the PNG file.
  ///   - ending: The file extension of the new file.
  init(of file: [UInt8], to ending: String, by kernel: String = "simd", rowsPerBand: Int = 2) throws {
    (bytes, metadata, losses) = try Scratch.folder { folder in
      let (old, new) = (folder.appending(path: "in.png"), folder.appending(path: "out.\(ending)"))
      try Data(file).write(to: old)
      let tiled = try TiledBlur(reading: old.path)
      let bands = try Bands(
        Registry.kernel(named: kernel), for: tiled.layout, BlurParameters(sigma: Sigma(0)),
        rowsPerBand: rowsPerBand)
      let losses = try tiled.blur(bands, to: new.path)
      return (try Array(Data(contentsOf: new)), tiled.metadata, losses)
    }
  }
}
