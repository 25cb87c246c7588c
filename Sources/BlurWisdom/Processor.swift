import Blur
import CBlurVectors

#if canImport(Darwin)
  import Darwin
#endif

/// What times depend on: the CPU's name, how many cores may be used, and the widest instruction set.
public struct Processor: Hashable, Sendable {
  /// The CPU's name.
  public var model: String
  /// How many CPUs this process may use.
  public var cores: Int
  /// The widest instruction set of CPU and build.
  public var isa: InstructionSet

  /// Describes a processor by hand.
  public init(model: String, cores: Int, isa: InstructionSet) {
    self.model = model
    self.cores = cores
    self.isa = isa
  }

  /// Times of processors with the same key may be compared. Clock and names of computers are left out,
  /// because they change on the same computer.
  public var key: String { FNV1a(of: "\(model)|\(cores)|\(isa.name)").digits }

  /// The one that runs this.
  public static let current = Processor(model: currentModel, cores: Int(blur_cpu_count()), isa: .best)

  /// The CPU's name in Linux's `/proc/cpuinfo`, with its family and model: virtual machines call different
  /// CPUs by one name. ARM has no name there: its implementer and part numbers stand in.
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
      // The first CPU is enough: to list all of a large machine takes milliseconds.
      let bytes = try? SystemFile.bytes(at: "/proc/cpuinfo", limit: 4096)
      return model(cpuInfo: String(decoding: bytes ?? [], as: UTF8.self))
    }
  #endif
}
