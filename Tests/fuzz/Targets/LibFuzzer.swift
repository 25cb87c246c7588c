import Foundation

/// A variable of the environment.
func environment(_ name: String) -> String? { ProcessInfo.processInfo.environment[name] }

#if !BLURBENCH_FUZZ_DRIVER
  /// libFuzzer calls this first: writes the seeds into the folder that the environment names.
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

  /// libFuzzer calls this with each input.
  @_cdecl("LLVMFuzzerTestOneInput")
  public func test(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    // SAFETY: libFuzzer hands over `count` bytes.
    FuzzTarget.chosen.run(Array(UnsafeBufferPointer(start: bytes, count: count)))
    return 0
  }
#endif
