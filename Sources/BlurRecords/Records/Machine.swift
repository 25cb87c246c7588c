import Blur
import BlurText
import BlurWisdom
import Foundation

/// A description of a computer on which kernels are measured, with the facts that its operating system
/// reports.
public struct Machine: Equatable, Sendable {
  /// A CPU cache: its type ("Data", "Instruction" or "Unified"), its level (1 for L1), its size in bytes, and
  /// the number of CPUs that share it.
  public struct Cache: Equatable, Sendable {
    public var type: String
    public var level: Int, size: Int, sharing: Int
  }

  /// The CPU's name, and the list of its features.
  public var model = "unknown CPU", flags = ""
  /// The number of CPUs that this process may use.
  public var cores = 1
  /// The widest instruction set that both the CPU and this build support.
  public var isa = InstructionSet.best
  /// The CPU's clock rate in MHz, as reported by the system.
  public var megahertz = 0.0
  /// Whether the clock rate varies with the load, or nil if this is unknown. ``governor`` is the policy that
  /// controls the clock rate.
  public var isScaling: Bool?
  public var governor: String?
  /// The caches of the first CPU, in the order in which the system lists them.
  public var caches: [Cache] = []
  /// The average number of runnable threads over the last 1, 5 and 15 minutes.
  public var loadAverage: [Double] = []
  /// The computer's name and its operating system.
  public var hostName = "", system = ""

  /// Creates a description of a machine with default values, which the caller then replaces.
  public init() {}

  /// Describes the machine on which programs run when they are started through a target command. Such a
  /// command is, for example, `ssh host` or the command of an emulator.
  ///
  /// The hardware of the target is unknown, so this computer's number of cores is used. Emulators are
  /// recognised by the name of the command.
  public init(target command: String) {
    let emulators = ["qemu-", "valgrind", "wasmkit"]
    let words = command.split(separator: " ").compactMap { $0.split(separator: "/").last }
    model = "target '\(command)'"
    cores = Machine.current.cores
    isa = .baseline
    hostName = Machine.current.hostName
    isVirtualNode = words.contains { word in emulators.contains { word.hasPrefix($0) } }
  }

  /// Whether times from this machine are meaningless. They are if the machine is an emulator, or if it is a
  /// node of a test cluster whose nodes all run on one computer.
  public var isVirtualNode = false

  /// A string that identifies the kind of machine. Results from machines with equal keys can be compared. A
  /// virtual node and a real machine never have equal keys.
  public var key: String {
    (isVirtualNode ? "virtual-" : "") + Processor(model: model, cores: cores, isa: isa).key
  }

  /// The computer on which this program runs.
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

  /// Warnings about anything that currently makes times from this machine unreliable.
  public var warnings: [String] {
    var warnings: [String] = []
    if isVirtualNode { warnings.append("this is a virtual node or an emulator, so its times are unusable") }
    if let load = loadAverage.first, load > 0.5 * Double(cores) {
      warnings.append(
        "the load average is \(load.fixed(2)) on \(cores) cores, so other programs disturb the times")
    }
    if let governor, governor != "performance" {
      warnings.append("the CPU frequency governor is '\(governor)', so times vary; set it to 'performance'")
    } else if isScaling == true {
      warnings.append("CPU frequency scaling is on, so times vary")
    }
    if BuildIdentity.currentConfiguration == "debug" {
      warnings.append(
        "this is a debug build, so its times are meaningless; build with `swift build -c release`")
    }
    return warnings
  }
}
