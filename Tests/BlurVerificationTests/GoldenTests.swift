import Blur
import Foundation
import TestSupport
import Testing

@testable import BlurVerification

@Suite struct GoldenTests {
  static let folder = Program.package.appending(path: "Tests/Goldens")
  private let folder = folder

  /// The stored images reveal any change to the reference, to a test image or to an edge mode. Ties may be
  /// rounded either way, because they depend on the order in which a sum is computed.
  @Test("The reference still gives the stored images", arguments: Golden.all)
  func theReferenceStillGivesTheStoredAnswer(_ golden: Golden) throws {
    let (stored, truth) = (try golden.stored(in: folder), try golden.truth())
    let deviation = stored.withView { truth.deviation(of: $0, tieMargin: 1e-9) }
    #expect(deviation.maxLevels == 0, "\(golden.fileName): \(deviation.description)")
  }

  @Test("The folder contains all goldens and no other files")
  func theFolderHoldsTheGoldensAndNothingElse() throws {
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    // The subfolder `scenes` contains frames of user-interface scenes, which have their own tests.
    let goldens = Golden.all.map(\.fileName) + VariableGolden.all.map(\.fileName)
    #expect(Set(files).subtracting(["scenes"]) == Set(goldens))
  }

  @Test("Goldens cannot be regenerated in CI")
  func goldensAreNotRegeneratedInCI() throws {
    try Scratch.folder { folder in
      #expect(throws: GoldenError.refusedInCI) { try Golden.regenerate(in: folder, environment: ["CI": ""]) }
      let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      #expect(files.isEmpty)
    }
  }

  @Test("Kernels are compared with the files, so a changed file makes a correct kernel fail")
  func kernelsAreHeldToTheFilesAsTheyAre() throws {
    try Scratch.folder { folder in
      let count = Golden.all.count + VariableGolden.all.count
      #expect(try Golden.regenerate(in: folder, environment: [:]) == count)
      let subject = Subject(.gray8, sigma: try Sigma(1))
      let property = Property.goldens(in: folder)
      let kernel = Kernel(MutantKernel<Honest>())
      #expect(property.check(kernel, subject).failure == nil)
      let golden = try #require(Golden.all.first)
      let file = folder.appendingPathComponent(golden.fileName)
      var data = try Data(contentsOf: file)
      data[data.count - 1] ^= 64
      try data.write(to: file)
      #expect(property.check(kernel, subject).failure?.deviation?.x == 23)
      try data.dropLast().write(to: file)
      #expect(try #require(property.check(kernel, subject).failure).message.contains("is not a PAM file"))
      try FileManager.default.removeItem(at: file)
      #expect(try #require(property.check(kernel, subject).failure).message.contains("--regenerate"))
    }
  }

  @Test("The check is skipped if the folder is missing or no golden has the requested format and sigma")
  func withoutGoldensOrACaseTheCheckIsSkipped() throws {
    let kernel = Kernel(MutantKernel<Honest>())
    let nowhere = Property.goldens(in: folder.appendingPathComponent("nowhere"))
    #expect(nowhere.check(kernel, Subject(.gray8, sigma: try Sigma(1))).reason?.contains("--goldens") == true)
    let property = Property.goldens(in: folder)
    for subject in [Subject(.grayf32, sigma: try Sigma(1)), Subject(.gray8, sigma: try Sigma(7))] {
      #expect(property.check(kernel, subject).reason != nil)
    }
  }

  /// The expected PAM file is written out byte by byte.
  @Test("PAM files have the format that Netpbm documents")
  func pamFilesAreWhatNetpbmSays() throws {
    let layout = try ImageLayout(.rgba16, width: 1, height: 1)
    let image = try Image.painted(layout) { _, _, c in [0x0102, 0xFFFF, 0, 0x8000][c] }
    let header = "P7\nWIDTH 1\nHEIGHT 1\nDEPTH 4\nMAXVAL 65535\nTUPLTYPE RGB_ALPHA\nENDHDR\n"
    let expected = Data(header.utf8) + Data([1, 2, 0xFF, 0xFF, 0, 0, 0x80, 0])
    #expect(PAMFile.data(of: image) == expected)
    let read = try PAMFile.image(expected, layout)
    #expect(read.withView { $0.values(ofRow: 0) } == [0x0102, 0xFFFF, 0, 0x8000])
  }
}

extension Golden: CustomTestStringConvertible {
  public var testDescription: String { fileName }
}
