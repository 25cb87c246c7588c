#if BLURBENCH_FUZZ_DRIVER
  import BlurVerification
  import Foundation

  /// A replacement for libFuzzer on toolchains that have none. It mutates the seeds at random, in the same
  /// way for the same seed number. It takes `-seed=N -runs=N -max_total_time=N -max_len=N`, or files to try.
  @main
  struct Driver {
    private var random: SplitMix64
    private let seeds: [[UInt8]]
    private let longest: Int

    static func main() throws {
      let words = CommandLine.arguments.dropFirst()
      let files = words.filter { !$0.hasPrefix("-") && !$0.hasSuffix("/") }
      for file in files { FuzzTarget.chosen.run(Array(try Data(contentsOf: URL(filePath: file)))) }
      guard files.isEmpty else { return }
      func option(_ name: String) -> Int? {
        words.last { $0.hasPrefix("-\(name)=") }.flatMap { Int($0.dropFirst(name.count + 2)) }
      }
      let seed = option("seed") ?? 0
      let number = seed == 0 ? UInt64.random(in: 1...(1 << 32)) : UInt64(seed)
      print("\(FuzzTarget.chosen.name): seed \(number)")
      var driver = Driver(
        random: SplitMix64(seed: number), seeds: try FuzzTarget.chosen.seeds(),
        longest: option("max_len") ?? 4096)
      try driver.run(option("runs") ?? .max, seconds: option("max_total_time") ?? 3600)
    }

    /// Keeps each input in a file until its run has ended, so that an input that crashes the program is not
    /// lost.
    private mutating func run(_ runs: Int, seconds: Int) throws {
      let path = URL(filePath: (environment("BLURBENCH_FUZZ_CRASHES") ?? ".") + "/\(FuzzTarget.chosen.name)")
      let end = Date(timeIntervalSinceNow: Double(seconds))
      var done = 0
      for seed in seeds { FuzzTarget.chosen.run(seed) }
      while done < runs && Date() < end {
        let input = mutated()
        try Data(input).write(to: path)
        FuzzTarget.chosen.run(input)
        done += 1
      }
      try? FileManager.default.removeItem(at: path)
      print("\(FuzzTarget.chosen.name): done \(done) runs")
    }

    private mutating func below(_ bound: Int) -> Int { Int(random.next() % UInt64(max(bound, 1))) }

    /// Returns one of the seeds after a few random changes.
    private mutating func mutated() -> [UInt8] {
      var input = seeds[below(seeds.count)]
      for _ in 0...below(6) {
        let at = below(input.count)
        switch below(5) {
        case 0 where !input.isEmpty: input[at] ^= 1 << below(8)
        case 1 where !input.isEmpty: input[at] = UInt8(below(256))
        case 2: input.insert(UInt8(below(256)), at: at)
        case 3 where !input.isEmpty: input.removeSubrange(at..<min(input.count, at + 1 + below(8)))
        default:
          let other = seeds[below(seeds.count)]
          let start = below(other.count)
          input.insert(contentsOf: other[start..<min(other.count, start + 1 + below(32))], at: at)
        }
      }
      return Array(input.prefix(longest))
    }
  }
#endif
