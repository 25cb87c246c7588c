/// A part of the library that is fuzzed. It accepts any bytes, and ends the program if these bytes reveal a
/// fault.
struct FuzzTarget: Sendable {
  /// The name of the target on the command line.
  let name: String
  /// Returns the inputs to begin with. They are valid, so that even the first mutations get past checks of
  /// magic numbers.
  let seeds: @Sendable () throws -> [[UInt8]]
  /// Tries an input. Errors that are thrown for bad input are caught inside.
  let run: @Sendable ([UInt8]) -> Void

  /// All targets that can be fuzzed.
  static let all = [blurs, layouts, png, netpbm, recordsCSV, recordsJSON, report, suite, wisdom]

  /// The target that the environment variable BLURBENCH_FUZZ_TARGET names.
  static let chosen: FuzzTarget = {
    let name = environment("BLURBENCH_FUZZ_TARGET") ?? ""
    guard let target = all.first(where: { $0.name == name }) else {
      fatalError("BLURBENCH_FUZZ_TARGET is '\(name)'; known: \(all.map(\.name).joined(separator: ", "))")
    }
    return target
  }()
}

/// Ends the program with a message if `condition` is false. The fuzzer then keeps the input.
func require(_ condition: Bool, _ message: @autoclosure () -> String) {
  guard !condition else { return }
  fatalError(message())
}
