import Blur
import BlurWisdom
import Foundation

extension FuzzTarget {
  /// Files of wisdom: what is accepted can be chosen by, never over the bound, and is written again the same.
  static let wisdom = FuzzTarget(
    name: "wisdom",
    seeds: { [Array(try WisdomFile.text(of: sampleWisdom).utf8)] },
    run: { bytes in
      do throws(WisdomFile.Refusal) {
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
      for (width, height, sigma) in [
        (problem.width, problem.height, problem.sigma), (1, 1, try! Sigma(0)), (31, 1000, try! Sigma(7.5)),
      ] {
        guard let layout = try? ImageLayout(problem.format, width: width, height: height) else { continue }
        let choices = try? chooser.choices(
          for: layout, BlurParameters(sigma: sigma, edge: problem.edge), within: .levels(1),
          threads: problem.threads)
        require(choices?.isEmpty == false, "nothing was chosen")
        for choice in choices ?? [] {
          require(
            ErrorBound.levels(1).allows(choice.kernel, for: problem.format), "\(choice) is over the bound")
          require(choice.time?.isFinite ?? true, "\(choice) takes no finite time")
        }
      }
    }
  }

  private static var sampleWisdom: Wisdom {
    let times = [
      Wisdom.Time(kernel: "simd", isa: "avx2", ns: 1234.5, within: 1),
      Wisdom.Time(kernel: "box-triple", isa: "baseline", ns: 1), Wisdom.Time(kernel: "?", isa: "?", ns: 1e15),
    ]
    let processor = Processor(model: "A \"CPU\"", cores: 2, isa: .avx512)
    return Wisdom(
      processor, date: "2026-01-02T03:04:05Z",
      problems: [1, 32].map { sigma in
        Wisdom.Problem(
          MeasuredProblem(
            format: .gray8, width: 30, height: 20, sigma: try! Sigma(sigma), edge: .wrap, threads: 2),
          times: times)
      })
  }
}
