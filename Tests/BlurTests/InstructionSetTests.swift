import Foundation
import TestSupport
import Testing

@testable import Blur

@Suite("Instruction sets")
struct InstructionSetTests {
  @Test("The baseline is always available, and kernels fall back to the sets that they support")
  func fallback() {
    #expect(InstructionSet.baseline.isAvailable)
    let scalar = Kernel(Separable())
    let vectors = Kernel(SIMDSeparable(.standard))
    #expect(scalar.instructionSet(upTo: .avx512) == .baseline)
    #expect(vectors.instructionSet(upTo: .avx512) == InstructionSet.best)
    #expect(vectors.instructionSet(upTo: .baseline) == .baseline)
  }

  @Test("The loops of an instruction set are those compiled for it", arguments: InstructionSet.available)
  func loops(set: InstructionSet) {
    #expect(set.loops.cosine.lanes == set.vectorBytes / MemoryLayout<Float>.size)
  }

  /// Each function may be compiled once for every instruction set. If several copies are weak symbols with
  /// the same name, the linker keeps only one of them. If it keeps the copy for AVX-512, code for the
  /// baseline crashes on an older CPU with an illegal instruction. So the name of each weak function must
  /// contain the name of its target (module), which makes it unique.
  @Test(
    "Targets for wider instruction sets share no function with other targets", .allLoops,
    .enabled(if: Program.exists("nm"), "nm is not installed (package binutils)"),
    arguments: ["BlurLoopsAVX2", "BlurLoopsAVX512"])
  func noSharedFunctions(target: String) throws {
    let folder = Program.buildFolder.appending(path: "\(target).build")
    let objects = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
      .filter { $0.pathExtension == "o" }
    try #require(!objects.isEmpty)
    var hasCode = false
    for object in objects {
      let symbols = try Program.output(["nm", object.path]).split(separator: "\n")
      let weak = symbols.filter { $0.contains(" W ") }
      #expect(weak.allSatisfy { $0.contains(" $s\(target.count)\(target)") }, "\(weak)")
      hasCode = hasCode || symbols.contains { $0.contains(" T ") }
    }
    #expect(hasCode, "the objects have no code at all")
  }
}

/// Tests that the code for the baseline instruction set also runs on a CPU without AVX. Only the targets for
/// AVX2 and AVX-512 may contain functions that use wide registers.
@Suite("The baseline instruction set")
struct BaselineTests {
  @Test(
    "Code outside the targets for wider sets uses no wide register",
    .enabled(if: Program.exists("objdump"), "objdump is not installed (package binutils)"),
    arguments: ["BlurLoops", "BlurLoopTable", "Blur"])
  func noWideInstructions(target: String) throws {
    let functions = try Self.functionsWithWideRegisters(target)
    #expect(functions.isEmpty, "\(functions)")
  }

  @Test(
    "In the targets for wider sets, this search does find wide registers", .allLoops,
    .enabled(if: Program.exists("objdump"), "objdump is not installed (package binutils)"),
    .enabled(if: InstructionSet.available.contains(.avx2), "this CPU or build has the baseline alone"),
    arguments: ["BlurLoopsAVX2", "BlurLoopsAVX512"])
  func wideInstructions(target: String) throws {
    #expect(try Self.functionsWithWideRegisters(target).count > 4)
  }

  /// Returns the functions in a target's object files that use a register of 256 or 512 bits, or a mask
  /// register.
  static func functionsWithWideRegisters(_ target: String) throws -> Set<String> {
    let folder = Program.buildFolder.appending(path: "\(target).build")
    let objects = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
      .filter { $0.pathExtension == "o" }
    try #require(!objects.isEmpty)
    var function = ""
    var found: Set<String> = []
    for object in objects {
      // Only the names of functions and the instructions with wide registers are kept, because reading all
      // instructions would take the test too long.
      let lines = "objdump -d --no-show-raw-insn '\(object.path)' | grep -E '>:$|%[yz]mm|%k[12]' || true"
      let code = try Program.output(["sh", "-c", lines])
      for line in code.split(separator: "\n") {
        if line.hasSuffix(">:") { function = String(line) }
        if ["%ymm", "%zmm", "%k1", "%k2"].contains(where: { line.contains($0) }) { found.insert(function) }
      }
    }
    try #require(!function.isEmpty, "objdump shows no function of \(target)")
    return found
  }
}
