import Blur
import BlurMeasurement
import BlurRecords

extension FuzzTarget {
  /// Suite files, and the jobs that they define.
  static let suite = FuzzTarget(
    name: "suite",
    seeds: {
      [
        Array(small.utf8), Array(small.replacing("clamp, wrap", with: "all").utf8), Array(many.utf8),
        Array("a: &x [*x]".utf8), Array("? [a, {b: c}]\n: - d".utf8),
      ]
    },
    run: { bytes in
      let reader = SuiteReader(file: "f.yml", kernels: Registry.kernels.map(\.name))
      do throws(MeasurementError) {
        let suite = try reader.read(String(decoding: bytes, as: UTF8.self))
        for job in try suite.jobs(kernels: Registry.kernels, cores: 2) {
          require(!job.cases.isEmpty, "a job without cases")
          for item in job.cases {
            require((try? Case(name: item.name)) == item, "\(item) reads back otherwise")
          }
        }
      } catch {
        require(!error.description.isEmpty, "an error without words: \(error)")
      }
    })

  /// A small mistake in a suite, by which it names 30 million cases.
  private static let many = small.replacing("[0.5, 2]", with: hundreds).replacing("[1, all]", with: hundreds)
    .replacing("17x9+3", with: (1...100).map { "\($0)x8" }.joined(separator: ", "))
  private static let hundreds = "[" + (1...200).map { "\($0)" }.joined(separator: ", ") + "]"

  private static let small = """
    name: small
    why: To be read.
    repetitions: 2
    min_time: 0.1
    warm_up: 0
    workloads:
      - why: two kernels
        kernels: [naive, simd]
        formats: [gray8, rgba8]
        sizes: [16x8, 17x9+3]
        sigmas: [0.5, 2]
        threads: [1, all]
        edges: [clamp, wrap]
        isa: best
    """
}
