import Blur
import BlurText
import Foundation

/// Identifies the program that took the measurements, the sources from which it was built, and the compiler.
public struct BuildIdentity: Equatable, Sendable {
  /// A hash of the program's file and of all files with external kernels. Builds of different code have
  /// different hashes.
  public var hash: String
  /// The Git revision of the sources, with a note if they had local changes, or nil if the revision is not
  /// known for certain.
  public var revision: String?
  /// The compiler, the build configuration (`debug` or `release`), and any further compiler options.
  public var compiler: String, configuration: String, flags: String

  /// Returns the hash of a file with external kernels, or the word `unreadable`.
  public static func hash(ofFile path: String) -> String {
    guard let bytes = try? Data(contentsOf: URL(filePath: path), options: .mappedIfSafe) else {
      return "unreadable"
    }
    var hash = FNV1a()
    // SAFETY: `add` reads the bytes only during the closure, while the buffer is valid.
    bytes.withUnsafeBytes { hash.add($0) }
    return hash.digits
  }

  /// The build configuration of this program, either `debug` or `release`.
  public static var currentConfiguration: String {
    #if DEBUG
      "debug"
    #else
      "release"
    #endif
  }

  /// The word that is written in place of unknown information.
  public static let unknown = "unknown"

  /// Creates a build identity.
  public init(hash: String, revision: String?, compiler: String, configuration: String, flags: String = "") {
    self.hash = hash
    self.revision = revision
    self.compiler = compiler
    self.configuration = configuration
    self.flags = flags
  }

  /// The identity as key-value pairs, for the provenance file.
  public var lines: [(String, String)] {
    [
      ("program", hash), ("git revision", revision ?? Self.unknown), ("compiler", compiler),
      ("build", configuration), ("build flags", flags.isEmpty ? Self.unknown : flags),
      ("instruction sets built", InstructionSet.available.map(\.name).listed),
    ]
  }
}

extension [Record] {
  /// The hashes of the programs that measured these records, sorted and without duplicates. An empty string
  /// stands for an unknown program.
  public var builds: [String] { Set(map(\.build)).sorted() }
}
