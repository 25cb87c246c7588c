import Foundation
import TestSupport
import Testing

@testable import BlurComparison

@Suite("Comparisons as JUnit, annotations, JSON and CSV")
struct MachineOutputTests {
  @Test("JUnit: the totals match the failures, skipped cases and passes in the file")
  func junit() throws {
    let elements = try XMLElements.of(try Fixture.mixed().junit)
    #expect(elements.count { $0.name == "testcase" } == 6)
    for (kind, attribute, count) in [
      ("failure", "failures", 3), ("skipped", "skipped", 1), ("error", "errors", 0),
    ] {
      #expect(elements.count { $0.name == kind } == count, "\(kind)")
      for total in elements where total.name.hasPrefix("testsuite") {
        #expect(total.attributes[attribute] == "\(count)" && total.attributes["tests"] == "6")
      }
    }
    let slower = try #require(elements.firstIndex { $0.attributes["name"] == (try? Fixture.name("slow")) })
    #expect(elements[slower].attributes["time"] == "0.001068960")
    #expect(elements[slower + 1].name == "failure")
    #expect(elements[slower + 1].attributes["message"]?.contains("regressed: +4.8 % [+3.1, +6.0]") == true)
    #expect(
      elements.contains { $0.attributes["message"]?.hasPrefix("error grew: 3 levels instead of 1") == true })
  }

  @Test(
    "JUnit: undecided and missing cases are skipped, or fail if strict, and wrong results always fail",
    arguments: [nil, true])
  func distrust(isStrict: Bool?) throws {
    var comparison = try Fixture.mixed()
    comparison.caveats = ["busy"]
    comparison.isStrict = isStrict
    let undecided = isStrict == true ? "failure" : "skipped"
    func messages(_ element: String) throws -> [String] {
      try XMLElements.of(comparison.junit).filter { $0.name == element }.compactMap {
        $0.attributes["message"]
      }
    }
    // Each case is one JUnit test. Two of the six cases fail whatever the caveats are: the one whose error
    // grew, and the one that is 30 % slower although the threshold is 5 %. The other four cases are undecided
    // because the machine was busy.
    #expect(try messages(undecided).count { $0.hasPrefix("cannot tell: busy") } == 4)
    #expect(try messages("failure").count == (isStrict == true ? 6 : 2))
    comparison.cases = []
    #expect(try messages(undecided).count == 1)
  }

  @Test("JUnit: a case that neither side can run is skipped, whatever the caveats")
  func untimed() throws {
    var item = CaseComparison(name: try Fixture.name("odd"), verdict: .same)
    (item.base.problem, item.head.problem) = ("does not support 2 threads", "does not support 2 threads")
    for caveats in [[], ["busy"]] {
      let comparison = Comparison(
        base: "a", head: "b", method: .processes, threshold: 0.05, cases: [item], caveats: caveats)
      let skipped = try XMLElements.of(comparison.junit).filter { $0.name == "skipped" }
      #expect(skipped.map { $0.attributes["message"] } == ["not timed: does not support 2 threads"])
    }
  }

  @Test("JUnit: the file is valid XML whatever a name contains")
  func hostileXML() throws {
    let names = [Fixture.hostile, "\u{0}\u{B}\u{FFFE}\u{FFFF}", "tab\tand\r\nlines", "🖼 é \u{10FFFF}"]
    let comparison = Comparison(
      base: Fixture.hostile, head: "]]>", method: .processes, threshold: 0.05,
      cases: names.map { CaseComparison(name: $0, verdict: .regressed) }, notes: [Fixture.hostile])
    let elements = try XMLElements.of(comparison.junit).filter { $0.name == "testcase" }
    let allowed = names.map { $0.filter { !"\u{0}\u{B}\u{1B}\u{FFFE}\u{FFFF}".contains($0) } }
    #expect(Set(elements.compactMap { $0.attributes["name"] }) == Set(allowed))
  }

  @Test("Annotations: the outcome comes first, then each failure on one line")
  func annotations() throws {
    let lines = try Fixture.mixed().annotations.split(separator: "\n").map(String.init)
    #expect(lines[0].hasPrefix("::error title=blurbench compare::Regression: 1 changed"))
    #expect(lines.count == 4)
    #expect(lines[2].hasPrefix("::error title=regressed%3A slower::") && lines[2].contains("+30.0 %25 ["))
    #expect(lines[1].contains("title=error grew%3A liar::") && lines[1].contains("3 levels instead of 1"))
  }

  @Test("Annotations: caveats are warnings, and slow cases are then no errors")
  func doubtfulAnnotations() throws {
    var comparison = try Fixture.mixed()
    comparison.cases.removeAll { !$0.faults.isEmpty || ($0.ratio?.estimate ?? 0) > 1.15 }
    comparison.caveats = ["100 % busy,\n::error::no"]
    let lines = comparison.annotations.split(separator: "\n").map(String.init)
    #expect(lines.count == 2 && lines.allSatisfy { $0.hasPrefix("::warning title=blurbench compare::") })
    #expect(lines[1].hasSuffix("100 %25 busy, ::error::no"))
    comparison.caveats = []
    comparison.cases = [comparison.cases[0]]
    #expect(comparison.annotations.hasPrefix("::notice title=blurbench compare::No regression: 1 the same"))
  }

  @Test("Annotations: a name cannot end its line or title, and there are no more lines than GitHub shows")
  func hostileAnnotations() throws {
    let cases = (0..<50).map { CaseComparison(name: "\($0)\(Fixture.hostile)", verdict: .regressed) }
    let comparison = Comparison(
      base: "a", head: "b", method: .processes, threshold: 0.05, cases: cases)
    let lines = comparison.annotations.split(whereSeparator: \.isNewline)
    #expect(lines.count == 10 && lines.last?.contains("and 42 more") == true)
    for line in lines {
      // The GitHub runner splits a line into `::command properties::data`.
      let title = try #require(line.dropFirst(2).firstRange(of: "::"))
      #expect(line.hasPrefix("::error title="))
      #expect(!line[line.startIndex..<title.lowerBound].dropFirst(2).contains { ":,".contains($0) })
      #expect(!line.contains("%0A::"))
    }
  }

  @Test("JSON: all stored values and the results derived from them are in the file")
  func json() throws {
    let comparison = try Fixture.mixed()
    let data = Data(try comparison.json().utf8)
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    #expect(try decoder.decode(Comparison.self, from: data) == comparison)
    let object = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    #expect(object["outcome"] as? String == "regressed")
    #expect(object["sentence"] as? String == comparison.sentence)
    let first = try #require((object["cases"] as? [[String: Any]])?.first)
    #expect(first["smallest_detectable"] as? Double == 0.021)
    #expect((first["base"] as? [String: Any])?["max_error_levels"] as? Double == 1)
  }

  @Test("JSON: infinities and NaN are left out")
  func finite() throws {
    var comparison = try Fixture.mixed()
    comparison.noise = .nan
    comparison.cases[0].smallestDetectable = .infinity
    comparison.cases[0].ratio = Ratio(estimate: 1, low: 0, high: .infinity)
    comparison.cases[0].base.time = .nan
    let object = try JSONSerialization.jsonObject(with: Data(try comparison.json().utf8)) as? [String: Any]
    let first = try #require((object?["cases"] as? [[String: Any]])?.first)
    #expect(object?["noise"] == nil && first["smallest_detectable"] == nil && first["ratio"] == nil)
    #expect((first["base"] as? [String: Any])?["time"] == nil)
    #expect(comparison.text.contains(" none"))
  }

  @Test(
    "CSV: each case has one line, whatever its name contains",
    .enabled(if: Outside.hasPython, "python3 is not installed"))
  func csv() throws {
    var comparison = try Fixture.mixed()
    comparison.cases.append(Fixture.item(Fixture.hostile, .same, percent: 0))
    let script = """
      import csv, json
      print(json.dumps(list(csv.DictReader(open("x.csv", newline="")))))
      """
    let text = try Outside.output(["python3", "-c", script], files: ["x.csv": comparison.csv])
    let rows = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [[String: String]])
    #expect(rows.count == 7 && rows.allSatisfy { $0.count == 23 })
    #expect(
      rows[3]["faults"] == "error grew: 3 levels instead of 1" && rows[3]["head_max_error_levels"] == "3.0")
    #expect(rows[1]["ratio"] == "" && rows[1]["head_problem"] == "needs 5 seconds for a blur")
    #expect(Double(rows[4]["ratio_low"] ?? "").map { abs($0 - 1.031) < 1e-12 } == true)
    #expect(rows[6]["name"]?.contains("\"',:%0A::error::x -->") == true)
  }
}
