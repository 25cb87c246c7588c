import Blur
import CBlurVectors

#if canImport(Darwin)
  import Darwin
#endif

/// The properties of a CPU on which blur times depend: its name, the number of usable cores and the widest
/// instruction set.
public struct Processor: Hashable, Sendable {
  /// The CPU's name.
  public var model: String
  /// The number of CPUs that this process may use.
  public var cores: Int
  /// The widest instruction set that both the CPU and this build support.
  public var isa: InstructionSet

  /// Creates a processor with the given properties.
  public init(model: String, cores: Int, isa: InstructionSet) {
    self.model = model
    self.cores = cores
    self.isa = isa
  }

  /// A hash of the properties. Times from processors with equal keys can be compared.
  ///
  /// The clock rate and the computer's name are not part of the key, because they can change on the same
  /// computer.
  public var key: String { FNV1a(of: "\(model)|\(cores)|\(isa.name)").digits }

  /// The processor that runs this program.
  public static let current = Processor(model: currentModel, cores: Int(blur_cpu_count()), isa: .best)

  /// Returns the CPU's name from the text of Linux's `/proc/cpuinfo`.
  ///
  /// The CPU family and model number are appended, because virtual machines use one name for different CPUs.
  /// ARM systems list no name, so the implementer and part numbers are used instead.
  package static func model(cpuInfo text: String) -> String {
    var values: [Substring: Substring] = [:]
    for line in text.split(separator: "\n") {
      let pair = line.split(separator: ":", maxSplits: 1).map(trimmed)
      if pair.count == 2, values[pair[0]] == nil { values[pair[0]] = pair[1] }
    }
    let arm = ["CPU implementer", "CPU part"].compactMap { values[$0] }
    guard let name = values["model name"] else {
      return arm.isEmpty ? "unknown CPU" : "ARM " + arm.joined(separator: " ")
    }
    let numbers = [("family", values["cpu family"]), ("model", values["model"])]
    return ([String(name)] + numbers.compactMap { word, number in number.map { "\(word) \($0)" } })
      .joined(separator: " ")
  }

  private static func trimmed(_ text: Substring) -> Substring {
    let start = text.drop { $0.isWhitespace }
    return start.prefix(
      upTo: start.lastIndex { !$0.isWhitespace }.map(start.index(after:)) ?? start.startIndex)
  }

  #if canImport(Darwin)
    private static var currentModel: String {
      var size = 0
      sysctlbyname("machdep.cpu.brand_string", nil, &size, nil, 0)
      var bytes = [UInt8](repeating: 0, count: size)
      guard sysctlbyname("machdep.cpu.brand_string", &bytes, &size, nil, 0) == 0, size > 0 else {
        return "unknown CPU"
      }
      return String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
  #else
    private static var currentModel: String {
      // The entry of the first CPU is enough. Listing every CPU of a large machine takes milliseconds.
      let bytes = try? SystemFile.bytes(at: "/proc/cpuinfo", limit: 4096)
      return model(cpuInfo: String(decoding: bytes ?? [], as: UTF8.self))
    }
  #endif
}
