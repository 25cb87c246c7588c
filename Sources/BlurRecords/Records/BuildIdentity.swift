import Blur
import BlurText
import Foundation

/// Which program measured, and what it was made from.
public struct BuildIdentity: Equatable, Sendable {
  /// A hash of the program's file and of all files with external kernels: two builds of different code have
  /// different ones.
  public var hash: String
  /// Git's revision of the sources, and whether they had been changed; nil where that is not known for
  /// certain.
  public var revision: String?
  /// The compiler; `debug` or `release`; and the options that it was given beyond that.
  public var compiler: String, configuration: String, flags: String

  /// The hash of a file with external kernels; a word where it cannot be read.
  public static func hash(ofFile path: String) -> String {
    guard let bytes = try? Data(contentsOf: URL(filePath: path), options: .mappedIfSafe) else {
      return "unreadable"
    }
    var hash = FNV1a()
    // SAFETY: the bytes are read while they are lent.
    bytes.withUnsafeBytes { hash.add($0) }
    return hash.digits
  }

  /// The word for what is not known.
  public static let unknown = "unknown"

  /// Puts an identity together.
  public init(hash: String, revision: String?, compiler: String, configuration: String, flags: String = "") {
    self.hash = hash
    self.revision = revision
    self.compiler = compiler
    self.configuration = configuration
    self.flags = flags
  }

  /// The lines `key: value` for people.
  public var lines: [(String, String)] {
    [
      ("program", hash), ("git revision", revision ?? Self.unknown), ("compiler", compiler),
      ("build", configuration), ("build flags", flags.isEmpty ? Self.unknown : flags),
      ("instruction sets built", InstructionSet.available.map(\.name).listed),
    ]
  }
}

extension [Record] {
  /// The builds that measured these rows; empty text stands for records that do not say.
  public var builds: [String] { Set(map(\.build)).sorted() }
}
