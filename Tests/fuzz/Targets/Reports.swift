import BlurMeasurement
import BlurRecords
import BlurText
import Foundation

@testable import BlurReport

extension FuzzTarget {
  /// Files for a report, and their provenance. A file that can be read must become a page, whatever it
  /// contains.
  static let report = FuzzTarget(
    name: "report",
    seeds: {
      [
        Array((RecordsCSV.header + RecordsCSV.lines(sampleRecords)).utf8),
        Array("kernel,sigma,certified_levels\nsimd,2,0.5\n\"a,b\",x,\n".utf8), Array(comparison.utf8),
      ]
    },
    run: { bytes in
      guard let text = PlainText.decoded(bytes) else { return }
      do throws(MeasurementError) {
        let file = try ReportFile(text, path: "f", provenance: ProvenanceReader(text))
        checkPage(Report([file], showsKernels: false))
      } catch {
        require(error.description.hasPrefix("f: "), "an error that names no file: \(error)")
      }
    })

  /// Checks that no text closes an element of the page or begins a new one.
  private static func checkPage(_ report: Report) {
    guard let page = try? report.html(nonce: "n") else { return }
    let empty = (try? Report([], showsKernels: false).html(nonce: "n")) ?? ""
    for mark in ["<script", "</script", "<img", "<!--"] {
      let counts = [page, empty].map { $0.components(separatedBy: mark).count }
      require(counts[0] == counts[1], "the page has \(counts[0] - counts[1]) more of \(mark)")
    }
  }

  private static let comparison = """
    {"base": "main", "head": "HEAD", "method": "processes", "threshold": 0.05, "doubts": [], "notes": [],
     "provenance": ["cpu: some"], "cases": [{"name": "\(sampleRecords[0].name)", "verdict": "regressed",
     "pairs": 12, "faults": ["</script><img src=x>"], "base": {"time": 100}, "head": {"time": 120},
     "ratio": {"estimate": 1.2, "low": 1.1, "high": 1.3}}]}
    """
}
