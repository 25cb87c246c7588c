import Testing

@testable import BlurComparison

@Suite("Comparisons as text")
struct TextTests {
  @Test("The verdict comes first, then the cases that matter most")
  func order() throws {
    let text = try Fixture.mixed().text
    let lines = text.split(separator: "\n").map(String.init)
    #expect(
      lines[0] == "Regression: 1 changed, 2 slower, 1 faster, 1 the same, 1 undecided of 6 cases")
    let starts = ["error grew", "regressed", "regressed", "can't tell", "improved", "same"]
    let head = try #require(lines.firstIndex { $0.hasPrefix("verdict") })
    for (line, start) in zip(lines[(head + 1)...], starts) { #expect(line.hasPrefix(start), "\(line)") }
    // Within one kind of verdict, the worst case comes first.
    #expect(lines[head + 2].contains("slower") && lines[head + 3].contains("slow  "))
    #expect(lines[head + 3].contains("+4.8 % [+3.1, +6.0]"))
    #expect(lines[head + 3].contains("1.020 → 1.069 ms"))
    #expect(lines.allSatisfy { $0.count <= 110 || $0.contains("blurbench run") }, "\(text)")
  }

  @Test("The gravest faults come first, and undecided cases are sorted by how much slower they may be")
  func gravest() throws {
    let kinds: [Fault.Kind] = [.output, .gone, .refused, .error, .wrong, .promise]
    var cases = kinds.map { kind in
      var item = Fixture.item("\(kind)", .same, percent: 0)
      item.faults = [Fault(.output, "some bits differ"), Fault(kind, "because")]
      return item
    }
    cases += (0..<12).map { Fixture.item("slow \($0)", .regressed, percent: 9) }
    cases += [("gain", -40.0), ("mild", 4), ("severe", 32)].map { Fixture.item($0, .unclear, percent: $1) }
    let found = Comparison(base: "a", head: "b", method: .processes, threshold: 0.05, cases: cases)
    let order = found.sortedCases.map(\.name)
    #expect(order.prefix(5) == ["wrong", "promise", "error", "refused", "gone"])
    #expect(order.dropFirst(17) == ["output", "severe", "mild", "gain"])
    let annotations = found.annotations.split(separator: "\n")
    #expect(annotations[1].hasPrefix("::error title=wrong result%3A wrong::"))
    let one = Fixture.item("k", .same, percent: 0)
    var single = Comparison(base: "a", head: "b", method: .processes, threshold: 0.05, cases: [one])
    single.cases[0].pairs = 1
    #expect(single.text.contains(", 1 pair of medians") && NumberText.levels(1.0) == "1 level")
  }

  @Test("Settings that all cases share are printed once, and errors only if they differ")
  func columns() throws {
    let mixed = try Fixture.mixed()
    #expect(mixed.text.contains("Common to all cases: baseline, 1 thread, gray8, 512x512, sigma 2, clamp\n"))
    // The image size 512x512 appears in four lines: once in the line above, which applies to all cases, and
    // once in each of three commands.
    #expect(mixed.text.split(separator: "\n").count { $0.contains("512x512") } == 4)
    #expect(mixed.text.contains("1 → 3"))
    var right = mixed
    right.cases.removeAll { !$0.faults.isEmpty }
    #expect(!right.text.contains("max error"))
    right.cases.append(Fixture.item(try Fixture.name("calm", sigma: 9), .same, percent: 0))
    #expect(right.text.contains("calm sigma 9") && right.text.contains("calm sigma 2"))
    #expect(!right.text.contains("clamp, sigma"))
    // The table omits settings that all cases share, such as the edge mode clamp. If a kernel is itself named
    // `clamp`, its name must not be omitted.
    right.cases.append(Fixture.item(try Fixture.name("clamp"), .same, percent: 0))
    #expect(right.text.contains("\nsame        clamp sigma 2"))
    let one = Comparison(
      base: "a", head: "b", method: .processes, threshold: 0.05, cases: [mixed.cases[0]])
    #expect(one.text.contains("\nsame     calm"))
  }

  @Test("Remarks, commands, notes and an explanation of the verdicts follow the table")
  func explanations() throws {
    let text = try Fixture.mixed().text
    #expect(text.contains("\nliar: error grew: 3 levels instead of 1\n"))
    #expect(text.contains("\nshy: head: needs 5 seconds for a blur\n"))
    #expect(text.contains("  blurbench run --kernel slow --isa baseline"))
    #expect(!text.contains("--kernel calm"))
    // The command includes --plugin, because without this option it would not know the kernel.
    var external = try Fixture.mixed()
    external.headOptions = ["--plugin", "./new.so"]
    #expect(external.text.contains(" --plugin ./new.so\n"))
    external.headOptions = ["--plugin", "a new.so"]
    #expect(!external.text.contains("blurbench run"))
    #expect(text.contains("larger than 1.67 % (a third of the threshold)"))
    #expect(text.contains("smaller than 5 % (the threshold)"))
    #expect(text.contains("Noise: two measurements of the base differ by up to 1.2 %."))
    #expect(text.contains("12 pairs of medians"))
    // If the comparison was made from saved records, the two versions were not measured alternately in pairs.
    // The text must then not speak of a median ratio of pairs.
    let pairs = "median ratio of the pairs"
    var records = try Fixture.mixed()
    records.method = .records
    #expect(text.contains(pairs) && !records.text.contains(pairs))
  }

  @Test("A remark that several cases share is printed once, with their number")
  func causes() throws {
    var comparison = try Fixture.mixed()
    let remark = "the times of this case are unreliable"
    for index in comparison.cases.indices { comparison.cases[index].caveat = remark }
    #expect(comparison.text.contains("\n5 cases, such as slower: \(remark)\n"))
    #expect(comparison.text.components(separatedBy: remark).count == 2)
    // The Markdown text for the pull request lists unchanged cases in a table of their own. The remark about
    // the unchanged case is therefore printed separately.
    #expect(comparison.markdown.contains("\n- 4 cases, such as slower: \(remark)\n"))
    #expect(comparison.markdown.contains("\n- calm: \(remark)\n"))
  }

  @Test("Text, comment and JSON name the compared builds, and say if both sides are one build")
  func builds() throws {
    var comparison = try Fixture.mixed()
    #expect(!comparison.text.contains("unknown build"))
    (comparison.baseBuild, comparison.headBuild) = ("program a1, git revision feed", "program b2")
    for text in [comparison.text, comparison.markdown] {
      #expect(text.contains("Base: program a1, git revision feed") && text.contains("Head: program b2"))
    }
    #expect(try comparison.json().contains(/"base_build" ?: "program a1, git revision feed"/))
    // The two sides of the comparison are the same program with different plug-ins.
    (comparison.baseBuild, comparison.headBuild) = ("program a1, old.so 1", "program a1, new.so 2")
    #expect(comparison.text.contains("Base and head: program a1\nBase: old.so 1\nHead: new.so 2\n"))
    comparison.headBuild = nil
    #expect(comparison.text.contains("Head: unknown build"))
    comparison.headBuild = comparison.baseBuild
    #expect(comparison.text.contains("Base and head are the same build: program a1, old.so 1"))
  }

  @Test("Caveats, and that the records come from separate runs, are announced right after the verdict")
  func caveats() throws {
    var comparison = try Fixture.mixed()
    comparison.method = .records
    comparison.threshold = 0.3
    comparison.caveats = ["the machine was busy"]
    let lines = comparison.text.split(separator: "\n")
    #expect(lines[1].contains("NOT MEASURED TOGETHER") && lines[1].contains("the threshold is 30 %"))
    #expect(lines[2].contains("the machine was busy"))
  }

  @Test("In a comparison of kernels, a case is slower or faster instead of regressed or improved")
  func kernels() throws {
    var comparison = try Fixture.mixed()
    comparison.method = .kernels
    comparison.cases.removeAll { !$0.faults.isEmpty }
    #expect(comparison.text.hasPrefix("Slower: 2 slower, 1 faster"))
    #expect(comparison.text.contains("\nslower ") && comparison.text.contains("\nfaster "))
    #expect(!comparison.text.contains("improved"))
  }

  @Test("Colours are only for terminals, and change no letter")
  func colours() throws {
    let comparison = try Fixture.mixed()
    let coloured = comparison.text(colour: true)
    #expect(!comparison.text.contains("\u{1B}"))
    #expect(coloured.contains("\u{1B}[31mregressed\u{1B}[0m") && coloured.contains("\u{1B}[32mimproved"))
    #expect(coloured.hasPrefix("\u{1B}[31mRegression\u{1B}[0m: "))
    let codes = try Regex("\u{1B}\\[[0-9]+m")
    #expect(coloured.replacing(codes, with: "") == comparison.text)
  }

  @Test("Names cannot send commands to a terminal or a shell")
  func hostileNames() throws {
    let names = [Fixture.hostile, try Fixture.name("x;reboot"), try Fixture.name("$(reboot)")]
    let comparison = Comparison(
      base: Fixture.hostile, head: Fixture.hostile, method: .processes, threshold: 0.05,
      cases: names.map { Fixture.item($0, .regressed, percent: 9) }, caveats: [Fixture.hostile],
      notes: [Fixture.hostile])
    let text = comparison.text
    let controls = text.unicodeScalars.filter { $0.properties.generalCategory == .control && $0 != "\n" }
    #expect(controls.isEmpty && !text.contains("\u{202E}"))
    #expect(!text.contains("blurbench run"))
  }

  @Test("Times, percentages and errors have enough digits to tell them apart")
  func figures() {
    #expect(NumberText.times(950, 1200) == "0.950 → 1.200 µs")
    #expect(NumberText.times(12_345, nil) == "12.35 → ? µs")
    #expect(NumberText.times(1.02e6, 0.816e6) == "1.020 → 0.816 ms")
    #expect(NumberText.times(nil, nil) == "")
    #expect(NumberText.share(0.025) == "2.5 %" && NumberText.share(30) == "3000 %")
    #expect(NumberText.levels(1, 3) == "1 → 3" && NumberText.levels(0.50001, 0.50002) == "0.50001 → 0.50002")
    #expect(NumberText.change(0.9999) == "0.0 %" && NumberText.change(2.5) == "+150 %")
  }
}
