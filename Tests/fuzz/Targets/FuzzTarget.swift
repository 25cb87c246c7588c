/// One thing that is fuzzed: it takes any bytes, and ends the program where they find a fault.
struct FuzzTarget: Sendable {
  /// The name on the command line.
  let name: String
  /// Inputs to begin with, so that the first mutations already get past magic numbers.
  let seeds: @Sendable () throws -> [[UInt8]]
  /// What is tried. Errors that are thrown for bad input are caught inside.
  let run: @Sendable ([UInt8]) -> Void

  /// Every target.
  static let all = [blurs, layouts, png, netpbm, recordsCSV, recordsJSON, report, suite, wisdom]

  /// The target that the environment names.
  static let chosen: FuzzTarget = {
    let name = environment("BLURBENCH_FUZZ_TARGET") ?? ""
    guard let target = all.first(where: { $0.name == name }) else {
      fatalError("BLURBENCH_FUZZ_TARGET is '\(name)'; known: \(all.map(\.name).joined(separator: ", "))")
    }
    return target
  }()
}

/// Ends the program with a message unless `condition` holds; the fuzzer keeps the input.
func require(_ condition: Bool, _ message: @autoclosure () -> String) {
  guard !condition else { return }
  fatalError(message())
}
