import Testing

@testable import BlurComparison

@Suite("Comparisons as comments on GitHub")
struct MarkdownTests {
  @Test("The verdict comes first, then a table of changed and doubtful cases, and the rest is folded")
  func unfolded() throws {
    let text = try Fixture.mixed().markdown
    #expect(text.hasPrefix("### Regression: 1 changed, 2 slower"))
    let unfolded = try #require(text.components(separatedBy: "<details>").first)
    let rows = unfolded.split(separator: "\n").filter { $0.hasPrefix("|") }
    #expect(rows.count == 2 + 5)
    for kernel in ["slow ", "slower ", "liar", "fast", "shy"] { #expect(unfolded.contains("| \(kernel)")) }
    #expect(!rows.contains { $0.contains("calm") })
    #expect(unfolded.contains("- liar: error grew: 3 levels instead of 1"))
    #expect(unfolded.contains("- shy: head"))
    let folded = text.dropFirst(unfolded.count)
    for word in ["calm", "Some CPU", "a third of the threshold", "blurbench run --kernel slow"] {
      #expect(folded.contains(word), "\(word)")
    }
    #expect(folded.components(separatedBy: "<details>").count == 3)
    #expect(folded.components(separatedBy: "</details>").count == 3)
  }

  @Test("A name or label cannot become markup, a link or a mention")
  func hostileNames() throws {
    var item = Fixture.item(Fixture.hostile, .regressed, percent: 9)
    item.faults = [Fault(.wrong, Fixture.hostile)]
    let comparison = Comparison(
      base: Fixture.hostile, head: Fixture.hostile, method: .processes, threshold: 0.05, cases: [item],
      caveats: [Fixture.hostile], notes: [Fixture.hostile],
      provenance: [Fixture.hostile, "```", "</details>"])
    let text = comparison.markdown
    // Text inside the fence is shown verbatim. The fence is longer than any run of backticks in that text.
    let parts = text.components(separatedBy: "````")
    #expect(parts.count == 3 && parts[1].hasPrefix("text\n"))
    var prose = parts[0] + parts[2]
    for tag in ["<details><summary>", "</summary>", "</details>", "\n> "] {
      prose = prose.replacing(tag, with: "\n")
    }
    for character in "<>`@*_\\!~$" { #expect(!prose.contains(character), "\(character)") }
    #expect(!prose.contains("[l]") && !prose.contains("://") && !prose.contains("www."))
    #expect(!prose.contains("\u{1B}") && !prose.contains("\u{0}"))
    #expect(prose.components(separatedBy: "&#64;&#8203;octocat").count > 4)
    // A hostile name must not add a heading, so our own heading is the only one. It must not add a table
    // column either, so all rows have the same number of pipe characters.
    #expect(prose.split(separator: "\n").count { $0.hasPrefix("#") } == 1)
    let rows = prose.split(separator: "\n").filter { $0.hasPrefix("|") }
    #expect(rows.count == 3 && Set(rows.map { row in row.count { $0 == "|" } }).count == 1)
  }

  @Test(
    "Special characters are written as character references", arguments: ["|", "`", "<", "&", "*", "@", "#"])
  func references(character: String) throws {
    let code = try #require(character.unicodeScalars.first).value
    #expect("a\(character)b".markdown.hasPrefix("a&#\(code);"))
    #expect("simd-fine sigma 0.5, 3 % (of 2)".markdown == "simd-fine sigma 0.5, 3 % (of 2)")
  }

  @Test("A comment never exceeds GitHub's limit, and says what it leaves out", arguments: Verdict.allCases)
  func limit(verdict: Verdict) throws {
    let cases = try (0..<1000).map { index in
      var item = Fixture.item(try Fixture.name("kernel-\(index)"), verdict, percent: 5)
      item.faults = verdict == .improved ? [Fault(.wrong, "<" + String(repeating: "@", count: 300))] : []
      return item
    }
    let comparison = Comparison(
      base: "a", head: "b", method: .processes, threshold: 0.05, cases: cases,
      notes: Array(repeating: String(repeating: "<", count: 9999), count: 50),
      provenance: Array(repeating: String(repeating: "é", count: 9999), count: 500))
    let text = comparison.markdown
    #expect(text.utf8.count <= 65_536 && text.utf8.count > 40_000)
    #expect(text.hasPrefix("### " + comparison.sentence.markdown))
    let left = try Regex("… and [0-9]+ more (changed )?cases, which do not fit").firstMatch(in: text)
    #expect(left != nil)
    #expect(text.contains("more lines, which do not fit into a comment"))
    #expect(
      text.components(separatedBy: "<details>").count == text.components(separatedBy: "</details>").count)
    #expect(text.components(separatedBy: "```").count == 3 && text.hasSuffix("</details>\n"))
  }
}
