import Blur
import Foundation

/// A case whose right answer is kept as a file, so that a change of the reference or of the test images is
/// noticed. The reference alone makes goldens; kernels are compared to them.
public struct Golden: GoldenPicture, Hashable, Sendable {
  let format: PixelFormat
  let sigma: Double
  let edgeName: String
  let definition: Truth.Definition

  static let sigmas: [Double] = [1, 2.5]
  static let formats = PixelFormat.allCases.filter { $0.component != .float32 }

  /// All cases: formats × sigmas × edge modes × definitions.
  public static let all: [Golden] = formats.flatMap { format in
    sigmas.flatMap { sigma in
      Subject.edgeNames.flatMap { edge in
        Truth.Definition.allCases.filter { $0.covers(format, edgeName: edge) }.map {
          Golden(format: format, sigma: sigma, edgeName: edge, definition: $0)
        }
      }
    }
  }

  /// The file's name: `gray8_noise_sigma2.5_clamp_gaussian.pam`.
  public var fileName: String {
    "\(format)_\(kind.rawValue)_sigma\(sigma)_\(edgeName)_\(definition.rawValue).pam"
  }

  /// What the reference computes.
  func truth() throws -> Truth {
    let edge = Subject.edge(named: edgeName, for: format) ?? .clamp
    return Truth.of(try image(), definition, sigma: try Sigma(sigma), edge: edge)
  }

  /// Computes all goldens and writes them into `folder`, which is made if it does not exist.
  ///
  /// - Returns: the number of files written.
  /// - Throws: ``GoldenError/refusedInCI`` where the environment variable CI is set: a check must not
  ///   rewrite what it checks against.
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

/// Why goldens could not be read or written.
public enum GoldenError: Error, Equatable, CustomStringConvertible {
  /// A file that is missing or not what it should be.
  case unreadable(String)
  /// A folder that cannot be written.
  case unwritable(String)
  /// Regenerating was asked for in a continuous-integration run.
  case refusedInCI

  /// One line of text.
  public var description: String {
    switch self {
    case .unreadable(let reason): "golden \(reason)"
    case .unwritable(let reason): "cannot write goldens to \(reason)"
    case .refusedInCI:
      "goldens are not regenerated where CI is set: regenerate them at a desk, look at the change, commit it"
    }
  }
}

extension Property {
  /// The kernel keeps its promise against the files in `folder`; skipped where the folder does not exist.
  public static func goldens(in folder: URL) -> Property {
    let scope = Scope(formats: Golden.formats, sigmas: Golden.sigmas)
    return Property("goldens", "agrees with the stored goldens", scope: scope) { test in
      guard FileManager.default.fileExists(atPath: folder.path) else {
        throw NotApplicable("no stored pictures here: name them with --goldens CLONE/Tests/Goldens")
      }
      if let method = test.kernel.variableMethod {
        return try VariableGolden.check(VariableUnderTest(method, test.subject), in: folder)
      }
      let golden = try test.golden()
      let expected = try golden.stored(in: folder)
      let result = try test.blurred(golden.image())
      let deviation = result.withView { a in expected.withView { Deviation.between(a, $0) } }
      // A specification's own tie may be rounded the other way: one code.
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
  /// The golden of the subject, by the definition that the kernel promises.
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
        "goldens exist for 8 and 16 bits at sigma \(Golden.sigmas.map { "\($0)" }.joined(separator: " and "))"
      )
    }
    return match
  }
}
