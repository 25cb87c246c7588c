import Blur

/// A target's description of one of its kernels.
public struct ServedKernel: Sendable {
  /// The name and the summary of the kernel, as in ``Blur/Kernel``.
  public let name: String, summary: String
  public let promise: Promise
  public let instructionSets: [InstructionSet]
  /// The instruction sets that the target's CPU lacks but for which the kernel has code.
  public let lackingSets: [InstructionSet]
  public let isDefinition: Bool

  /// Creates the description of a kernel of this program. The instruction sets of the kernel are divided into
  /// two lists: the sets that this machine's CPU supports, and the sets that this CPU lacks.
  init(_ kernel: Kernel) {
    name = kernel.name
    summary = kernel.summary
    promise = kernel.promise
    instructionSets = kernel.instructionSets.filter { $0.isAvailable }
    lackingSets = kernel.instructionSets.filter { !$0.isAvailable }
    isDefinition = kernel.isDefinition
  }

  func write(to message: inout MessageWriter) {
    message.add(name)
    message.add(summary)
    promise.write(to: &message)
    for sets in [instructionSets, lackingSets] {
      message.add(sets.count)
      for set in sets { message.add(set.name) }
    }
    message.add(isDefinition)
  }

  /// Reads a description from a message. Instruction sets that this program does not know are left out.
  public init(from message: inout MessageReader) throws(WireError) {
    name = try message.text()
    summary = try message.text()
    promise = try Promise(from: &message)
    instructionSets = try Self.sets(from: &message)
    lackingSets = try Self.sets(from: &message)
    isDefinition = try message.flag()
  }
}

extension ServedKernel {
  private static func sets(from message: inout MessageReader) throws(WireError) -> [InstructionSet] {
    var sets: [InstructionSet] = []
    for _ in 0..<max(0, try message.number()) {
      let name = try message.text()
      if let set = InstructionSet.allCases.first(where: { $0.name == name }) { sets.append(set) }
    }
    return sets
  }
}

extension Promise {
  fileprivate func write(to message: inout MessageWriter) {
    switch self {
    case .nothing: message.add(0)
    case .exact(let levels, let share):
      message.add(1)
      message.add(levels)
      message.add(share)
    case .approximation(let levels):
      message.add(2)
      message.add(levels)
    case .specification(let name):
      message.add(3)
      message.add(name)
    case .notGaussian: message.add(4)
    }
  }

  fileprivate init(from message: inout MessageReader) throws(WireError) {
    switch try message.number() {
    case 0: self = .nothing
    case 1: self = .exact(levels: try message.double(), share: try message.double())
    case 2: self = .approximation(levels: try message.double())
    case 3: self = .specification(try message.text())
    case 4: self = .notGaussian
    default: throw WireError("a kernel's promise is of an unknown kind")
    }
  }
}
