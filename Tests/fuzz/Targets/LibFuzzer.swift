import Foundation

/// Returns the value of an environment variable, or nil if it is not set.
func environment(_ name: String) -> String? { ProcessInfo.processInfo.environment[name] }

#if !BLURBENCH_FUZZ_DRIVER
  /// Writes the seeds into the folder that the environment names. libFuzzer calls this function first.
  @_cdecl("LLVMFuzzerInitialize")
  public func initialize(
    _ count: UnsafeMutablePointer<CInt>, _ words: UnsafeMutablePointer<UnsafeMutablePointer<CChar>>
  ) -> CInt {
    guard let folder = environment("BLURBENCH_FUZZ_SEEDS") else { return 0 }
    do {
      for (number, seed) in try FuzzTarget.chosen.seeds().enumerated() {
        try Data(seed).write(to: URL(filePath: folder).appending(path: "seed-\(number)"))
      }
    } catch { fatalError("no seeds in \(folder): \(error)") }
    return 0
  }

  /// Runs the chosen target. libFuzzer calls this function with each input.
  @_cdecl("LLVMFuzzerTestOneInput")
  public func test(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    // SAFETY: libFuzzer passes a pointer to `count` bytes, which are valid during this call.
    FuzzTarget.chosen.run(Array(UnsafeBufferPointer(start: bytes, count: count)))
    return 0
  }
#endif
