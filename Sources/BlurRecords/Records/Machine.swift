import Blur
import BlurText
import BlurWisdom
import Foundation

/// What is known of the computer that measures.
public struct Machine: Equatable, Sendable {
  /// A CPU cache: "Data", "Instruction" or "Unified"; 1 for L1; bytes; how many CPUs share it.
  public struct Cache: Equatable, Sendable {
    public var type: String
    public var level: Int, size: Int, sharing: Int
  }

  /// The CPU's name, and the features it lists.
  public var model = "unknown CPU", flags = ""
  /// How many CPUs this process may use.
  public var cores = 1
  /// The widest instruction set of CPU and build.
  public var isa = InstructionSet.best
  /// The clock that the system states, in MHz.
  public var megahertz = 0.0
  /// Whether the clock varies with load, if known; and the governor that decides it.
  public var isScaling: Bool?
  public var governor: String?
  /// The caches, smallest first.
  public var caches: [Cache] = []
  /// How many threads wanted to run in the last 1, 5 and 15 minutes.
  public var loadAverage: [Double] = []
  /// The computer's name, and its operating system.
  public var hostName = "", system = ""

  /// Describes a computer by hand.
  public init() {}

  /// Makes the machine that a command reaches, of which no more is known than on how many threads to work.
  /// Emulators are known by their names.
  public init(target command: String) {
    let emulators = ["qemu-", "valgrind", "wasmkit"]
    let words = command.split(separator: " ").compactMap { $0.split(separator: "/").last }
    model = "target '\(command)'"
    cores = Machine.current.cores
    isa = .baseline
    hostName = Machine.current.hostName
    isVirtualNode = words.contains { word in emulators.contains { word.hasPrefix($0) } }
  }

  /// Whether its times are worth nothing: an emulator, or one of several nodes that only seem to be machines
  /// of their own, as in tests of a cluster.
  public var isVirtualNode = false

  /// Results of machines with the same key may be compared. No real machine has the key of a virtual node.
  public var key: String {
    (isVirtualNode ? "virtual-" : "") + Processor(model: model, cores: cores, isa: isa).key
  }

  /// This computer.
  public static let current: Machine = {
    var machine = Machine()
    machine.model = Processor.current.model
    machine.cores = Processor.current.cores
    machine.hostName = MachineFiles.hostName
    machine.system = ProcessInfo.processInfo.operatingSystemVersionString
    machine.loadAverage = MachineFiles.loadAverage
    let files = MachineFiles()
    machine.flags = files.flags
    machine.megahertz = files.megahertz
    machine.caches = files.caches
    let governors = files.governors
    machine.governor = governors.first
    machine.isScaling = governors.contains { $0 != "performance" }
    return machine
  }()

  /// Caveats of times that are measured on this machine now, as text.
  public var warnings: [String] {
    var warnings: [String] = []
    if isVirtualNode { warnings.append("this is a virtual node or an emulator: its times are unusable") }
    if let load = loadAverage.first, load > 0.5 * Double(cores) {
      warnings.append("load average \(load.fixed(2)) on \(cores) cores: other programs disturb the times")
    }
    if let governor, governor != "performance" {
      warnings.append("the CPU's clock is governed by '\(governor)': times vary; set 'performance'")
    } else if isScaling == true {
      warnings.append("CPU frequency scaling is on: times vary")
    }
    if Build.type == "debug" {
      warnings.append("this is a debug build: its times say nothing; use swift build -c release")
    }
    return warnings
  }
}

/// How this program was built.
public enum Build {
  /// `debug` or `release`.
  public static var type: String {
    #if DEBUG
      "debug"
    #else
      "release"
    #endif
  }
}
