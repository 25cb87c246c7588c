import Blur
import Foundation

/// A golden: a test case whose correct result is stored in a file. The stored results reveal unintended
/// changes of the reference implementation or of the test images. The reference implementation writes the
/// files, and the results of kernels are compared with them.
public struct Golden: GoldenPicture, Hashable, Sendable {
  let format: PixelFormat
  let sigma: Double
  let edgeName: String
  let definition: Truth.Definition

  static let sigmas: [Double] = [1, 2.5]
  static let formats = PixelFormat.allCases.filter { $0.component != .float32 }

  /// The goldens of all combinations of format, sigma, edge mode and blur definition.
  public static let all: [Golden] = formats.flatMap { format in
    sigmas.flatMap { sigma in
      Subject.edgeNames.flatMap { edge in
        Truth.Definition.allCases.filter { $0.covers(format, edgeName: edge) }.map {
          Golden(format: format, sigma: sigma, edgeName: edge, definition: $0)
        }
      }
    }
  }

  /// The name of the file, such as `gray8_noise_sigma2.5_clamp_gaussian.pam`.
  public var fileName: String {
    "\(format)_\(kind.rawValue)_sigma\(sigma)_\(edgeName)_\(definition.rawValue).pam"
  }

  /// Returns the correct result, computed by the reference implementation.
  func truth() throws -> Truth {
    let edge = Subject.edge(named: edgeName, for: format) ?? .clamp
    return Truth.of(try image(), definition, sigma: try Sigma(sigma), edge: edge)
  }

  /// Computes all goldens and writes them into `folder`, which is created if it does not exist.
  ///
  /// - Returns: The number of files written.
  /// - Throws: ``GoldenError/refusedInCI`` if the environment variable CI is set, because an automatic check
  ///   must not rewrite the files that it checks against.
  public static func regenerate(
    in folder: URL, environment: [String: String] = ProcessInfo.processInfo.environment
  ) throws -> Int {
    guard environment["CI"] == nil else { throw GoldenError.refusedInCI }
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      for golden in all + VariableGolden.all as [any GoldenPicture] {
        let file = folder.appendingPathComponent(golden.fileName)
        try PAMFile.data(of: golden.expected()).write(to: file, options: .atomic)
      }
    } catch let error as CocoaError {
      throw GoldenError.unwritable("\(folder.relativePath): \(error.localizedDescription)")
    }
    return all.count + VariableGolden.all.count
  }
}

/// The errors that occur when stored reference results (goldens) cannot be read or written.
public enum GoldenError: Error, Equatable, CustomStringConvertible {
  /// A file is missing or does not have the expected content.
  case unreadable(String)
  /// A folder cannot be written.
  case unwritable(String)
  /// Regenerating the goldens was requested in a continuous-integration run.
  case refusedInCI

  /// A description of the error, in one line.
  public var description: String {
    switch self {
    case .unreadable(let reason): "the golden \(reason)"
    case .unwritable(let reason): "cannot write goldens to \(reason)"
    case .refusedInCI:
      "goldens cannot be regenerated in CI (the environment variable CI is set); regenerate them on your own "
        + "machine, review the change and commit it"
    }
  }
}

extension Property {
  /// Returns all properties. They include ``portable``, which compares results with the results of another
  /// machine, and a property that compares results with the stored results in the folder `goldens`.
  public static func everything(goldens: URL) -> [Property] {
    all + variableOnly + [portable, self.goldens(in: goldens)]
  }

  /// Returns a property that compares the kernel's results with the stored reference results in `folder`. The
  /// check is skipped if the folder does not exist.
  public static func goldens(in folder: URL) -> Property {
    let scope = Scope(formats: Golden.formats, sigmas: Golden.sigmas)
    return Property("goldens", "agrees with the stored reference results (goldens)", scope: scope) { test in
      guard FileManager.default.fileExists(atPath: folder.path) else {
        throw NotApplicable(
          "the folder with the goldens does not exist; give its path with --goldens REPOSITORY/Tests/Goldens")
      }
      if let method = test.kernel.variableMethod {
        return try VariableGolden.check(VariableUnderTest(method, test.subject), in: folder)
      }
      let golden = try test.golden()
      let expected = try golden.stored(in: folder)
      let result = try test.blurred(golden.image())
      let deviation = Deviation.between(result, expected)
      // Even a kernel that promises to equal a definition exactly may differ from the golden by one code
      // value, because a value halfway between two code values can be rounded either way.
      let bound = test.kernel.promise.bound(for: test.format) ?? test.format.codeInLevels
      if deviation.maxLevels > bound {
        throw Violation(
          "\(golden.fileName): \(deviation.off())", deviation,
          FailureImages(
            source: try golden.image(), result: result, expected: expected, around: deviation))
      }
      return Finding(golden.fileName, golden.definition == .gaussian ? deviation : nil)
    }
  }
}

extension KernelUnderTest {
  /// Returns the stored reference result (golden) for the format, sigma and edge mode of this test, and for
  /// the blur definition that the kernel promises.
  fileprivate func golden() throws -> Golden {
    _ = try tolerance()
    let definition: Truth.Definition? =
      if case .specification(let name) = kernel.promise { .init(specification: name) } else { .gaussian }
    let match = Golden.all.first {
      $0.format == format && sigma.x == $0.sigma && sigma.y == $0.sigma && $0.edgeName == subject.edgeName
        && $0.definition == definition
    }
    guard let match else {
      throw NotApplicable(
        "there are goldens only for 8- and 16-bit formats with sigma "
          + Golden.sigmas.map { "\($0)" }.joined(separator: " or "))
    }
    return match
  }
}
