import Blur
import BlurImageIO
import BlurRecords
import BlurVerification
import Foundation

/// Pictures of what failed: a strip for each kernel and property, made as the first check of it that failed.
public struct FailurePictures {
  /// The checks that are drawn.
  let checks: [Check]

  /// Takes the first failed check of each kernel and property.
  public init(_ checks: [Check]) {
    var seen: Set<[String]> = []
    self.checks = checks.filter { check in
      guard case .failed = check.outcome else { return false }
      return seen.insert([check.kernel.name, check.property.name]).inserted
    }
  }

  /// Writes the strips into a folder, which is made if it is not there.
  ///
  /// A strip is in 8 bits, whatever the format was. Kernels that refuse the picture are left out.
  ///
  /// - Parameter runsKernels: false for kernels that end processes: their places stay empty.
  /// - Returns: the paths of the files.
  /// - Throws: ``BlurRecords/MeasurementError/file(path:reason:)`` and ``BlurImageIO/ImageFileError``.
  public func write(to folder: String, runsKernels: Bool = true) throws -> [String] {
    guard !checks.isEmpty else { return [] }
    do { try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true) } catch {
      throw MeasurementError.file(path: folder, reason: "cannot be made: \(error.localizedDescription)")
    }
    return try checks.compactMap { check in
      guard let strip = try? Self.strip(check, runsKernels: runsKernels).drawn().image else { return nil }
      let path = URL(filePath: folder).appending(path: Self.name(check)).relativePath
      try ImageFile.write(Picture(strip), to: path)
      return path
    }
  }

  /// A picture with the kernel, sigma, edge mode, instruction set and threads of a check: of its image where
  /// it has one, for which a failure was reduced.
  static func strip(_ check: Check, runsKernels: Bool = true) throws(BlurError) -> PictureStrip {
    // A strip shows the truth of one sigma for all pixels.
    guard check.kernel.variableMethod == nil else {
      throw .unsupported(kernel: check.kernel.name, reason: "pictures")
    }
    let subject = check.subject.in8Bits
    let sample = subject.image ?? SampleImage(kind: .deadLeaves, width: 160, height: 120)
    let source = try sample.kind.image(
      ImageLayout(subject.format, width: sample.width, height: sample.height), seed: 3)
    return PictureStrip(
      source, sigma: subject.sigma, edge: subject.edge, kernels: [check.kernel],
      instructionSet: subject.instructionSet, threads: subject.threads, runsKernels: runsKernels)
  }

  private static func name(_ check: Check) -> String {
    let subject = check.subject
    let words = [
      check.kernel.name, check.property.name, subject.format.rawValue,
      "sigma\(subject.sigma.x)x\(subject.sigma.y)", subject.edge.name, subject.instructionSet.name,
    ]
    // Names of kernels are untrusted: they must not act as paths.
    return words.joined(separator: "-").split(separator: "/").joined(separator: "_") + ".png"
  }
}
