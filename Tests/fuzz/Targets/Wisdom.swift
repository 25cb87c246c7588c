import Blur
import BlurMeasurement
import BlurRecords
import Foundation

extension FuzzTarget {
  /// Files of wisdom: what is accepted can be chosen by, never over the bound, and is written again the same.
  static let wisdom = FuzzTarget(
    name: "wisdom",
    seeds: { [Array(sampleWisdom.text.utf8), Array(try JSONEncoder().encode(sampleWisdom))] },
    run: { bytes in
      do throws(WisdomFile.Problem) {
        let wisdom = try WisdomFile.parse(bytes, path: "w.json")
        let again = try WisdomFile.parse(Array(wisdom.text.utf8), path: "again")
        require(again == wisdom, "read, written and read again: other wisdom")
        checkChoices(wisdom)
      } catch {
        require(error.description.hasPrefix("w.json: "), "an error that names no file: \(error)")
      }
    })

  private static func checkChoices(_ wisdom: Wisdom) {
    let chooser = Chooser(wisdom)
    for workload in wisdom.workloads.prefix(8) {
      for (width, height, sigma) in [
        (workload.width, workload.height, workload.sigma), (1, 1, 0), (31, 1000, 7.5),
      ] {
        guard let format = PixelFormat(rawValue: workload.format),
          let layout = try? ImageLayout(format, width: width, height: height),
          let sigma = try? Sigma(sigma)
        else { continue }
        let choices = try? chooser.choices(
          for: layout, BlurParameters(sigma: sigma), within: .levels(1), threads: workload.threads)
        require(choices?.isEmpty == false, "nothing was chosen")
        for choice in choices ?? [] {
          require(ErrorBound.levels(1).allows(choice.kernel, for: format), "\(choice) is over the bound")
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
      workloads: [1, 32].map {
        Wisdom.Workload(
          format: .gray8, width: 30, height: 20, sigma: $0, edge: "wrap", threads: 2, times: times)
      })
  }
}
