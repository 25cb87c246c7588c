import Blur
import BlurWisdom
import Foundation

extension FuzzTarget {
  /// Wisdom files. Wisdom that is accepted must be written and read back unchanged, and a choice that follows
  /// it must never exceed the error bound.
  static let wisdom = FuzzTarget(
    name: "wisdom",
    seeds: { [Array(try WisdomFile.text(of: sampleWisdom()).utf8)] },
    run: { bytes in
      do throws(WisdomFile.Failure) {
        let wisdom = try WisdomFile.parse(bytes, path: "w.json")
        let text = (try? WisdomFile.text(of: wisdom)) ?? ""
        let again = try WisdomFile.parse(Array(text.utf8), path: "again")
        require(again == wisdom, "read, written and read again: other wisdom")
        checkChoices(wisdom)
      } catch {
        require(error.description.hasPrefix("w.json: "), "an error that names no file: \(error)")
      }
    })

  private static func checkChoices(_ wisdom: Wisdom) {
    let times = MeasuredTimes()
    wisdom.record(in: times)
    let chooser = Chooser(times)
    for problem in wisdom.problems.prefix(8).compactMap(\.measured) {
      let format = problem.layout.format
      let small = try? ImageLayout(format, width: 1, height: 1)
      let tall = try? ImageLayout(format, width: 31, height: 1000)
      for (layout, sigma) in [
        (problem.layout, problem.sigma), (small, try? Sigma(0)), (tall, try? Sigma(7.5)),
      ] {
        guard let layout, let sigma else { continue }
        let choices = try? chooser.choices(
          for: layout, BlurParameters(sigma: sigma, edge: problem.edge), within: .levels(1),
          threads: problem.threads)
        require(choices?.isEmpty == false, "nothing was chosen")
        for choice in choices ?? [] {
          require(
            ErrorBound.levels(1).allows(choice.kernel, for: format), "\(choice) is over the bound")
          require(choice.time?.isFinite ?? true, "\(choice) takes no finite time")
        }
      }
    }
  }

  private static func sampleWisdom() throws -> Wisdom {
    let times = [
      Wisdom.Time(kernel: "simd", isa: "avx2", ns: 1234.5, within: 1),
      Wisdom.Time(kernel: "box-triple", isa: "baseline", ns: 1), Wisdom.Time(kernel: "?", isa: "?", ns: 1e15),
    ]
    let processor = Processor(model: "A \"CPU\"", cores: 2, isa: .avx512)
    return Wisdom(
      processor, date: "2026-01-02T03:04:05Z",
      problems: try [(1, 30), (32, 37)].map { sigma, stride in
        Wisdom.Problem(
          try MeasuredProblem(
            ImageLayout(.gray8, width: 30, height: 20, stride: stride), sigma: Sigma(sigma), edge: .wrap,
            threads: 2),
          times: times)
      })
  }
}
