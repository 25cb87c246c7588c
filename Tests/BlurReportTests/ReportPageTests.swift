import BlurRecords
import Foundation
import TestSupport
import Testing

@testable import BlurReport

@Suite(
  "The report page in a browser", .tags(.browser), .slow,
  .enabled(if: Browser.isInstalled, "Chromium is not installed (package chromium)"), .serialized)
struct ReportPageTests {
  @Test(
    "There is a mark for each kernel, sigma and sample, in wide and narrow windows", arguments: [1280, 375])
  func marks(width: Int) throws {
    let page = try Fixture.page(Fixture.file(Fixture.grid()))
    let browser = try Browser(
      page, width: width, Browser.count("#errors .mark"), Browser.count("#sigmas .mark"),
      Browser.count("#samples .mark"), Browser.count("#samples circle.sample"),
      "document.documentElement.scrollWidth", "document.querySelector('h1').textContent")
    let (kernels, sigmas) = (Fixture.kernels.count, Fixture.sigmas.count)
    #expect(try browser.number(0) == kernels)
    #expect(try browser.number(1) == (kernels + 1) * sigmas, "kernels and memcpy")
    #expect(try browser.number(2) == kernels)
    #expect(try browser.number(3) == 3 * kernels)
    #expect(try browser.number(4) <= width, "the page is wider than the window")
    #expect(try browser.text(5).hasPrefix("box-triple is fastest or tied in 8 of 8"))
    #expect(browser.complaints == [])
  }

  @Test("The page begins with the fastest kernel of each workload, and a click shows that workload")
  func matrix() throws {
    let page = try Fixture.page(
      Fixture.file(
        Fixture.grid()
          + Fixture.samples(
            Fixture.name("opencv", sigma: 20), times: [10, 11, 12])))
    let chosen =
      "['format', 'sigma'].map(name => document.forms.filters.elements[name].selectedOptions[0].text).join()"
    let browser = try Browser(
      page, Browser.count(".fastest .own"), Browser.count(".fastest .peer button"),
      "document.querySelector('.fastest tbody td').textContent",
      "document.querySelectorAll('.fastest tbody tr')[1].querySelectorAll('button')[2].click()", chosen,
      "document.querySelector('.fastest .peer button').click()", chosen)
    #expect(try browser.number(0) == Fixture.formats.count * Fixture.sigmas.count)
    #expect(try browser.number(1) == 1)
    // At sigma 1, each kernel takes 200 ns longer than the kernel before it.
    #expect(try browser.text(2) == "200 ns box-triple2× [1.9, 2.1] ahead of simd")
    #expect(try browser.text(4) == "rgba8,5")
    #expect(try browser.text(6) == "gray8,20")
    #expect(browser.complaints == [])
  }

  @Test("The speed-up by threads is shown, but is hidden if there is only one number of threads")
  func speedUp() throws {
    let two = Fixture.samples(Fixture.name("simd", sigma: 2, threads: 2), times: [300, 310, 320], threads: 2)
    let browser = try Browser(
      try Fixture.page(Fixture.file(Fixture.grid() + two)),
      Browser.choosing("sigma", "2"), Browser.choosing("threads", "1"),
      "String(document.querySelector('#threads').hidden)", Browser.count("#threads .mark"),
      "document.querySelectorAll('#threads .mark')[1].getAttribute('aria-label')",
      Browser.choosing("format", "rgba8"), "String(document.querySelector('#threads').hidden)")
    #expect(try browser.text(2) == "false" && browser.number(3) == 2)
    #expect(try browser.text(4).contains("speed-up 1.94 times"), "600 ns over 310 ns")
    #expect(try browser.text(6) == "true")
  }

  @Test("Each frame of a scene is drawn, and the longest is named")
  func frames() throws {
    let name = Fixture.name("simd").replacing("/kernel=", with: "/scene=list@phone/kernel=")
    var records = Fixture.samples(name, times: [9e6, 5e6, 4e6])
    records[0].frames = FrameFigures(times: [3e6, 30e6, 4e6])
    records[1].frames = FrameFigures(times: [3e6, 4e6, 12e6, 5e6])
    records[2].frames = FrameFigures(times: [1e6, 1e6])
    let browser = try Browser(
      try Fixture.page(Fixture.file(records)), Browser.count("#frame-times .mark"),
      "document.querySelector('#frame-times .mark').getAttribute('aria-label')",
      "document.querySelector('#frame-times path.line').getAttribute('d').split('L').length")
    #expect(try browser.number(0) == 1)
    #expect(try browser.text(1).contains("longest 12 ms, frame 2"), "the middle one of three passes")
    #expect(try browser.number(2) == 4)
    #expect(browser.complaints == [])
  }

  @Test("The committed records are drawn, as many as a separate count finds")
  func committed() throws {
    let rows = try String(contentsOfFile: Fixture.committed, encoding: .utf8).split(separator: "\n")
      .dropFirst().map { $0.split(separator: ",", omittingEmptySubsequences: false) }
      .filter { !$0[2].isEmpty }
    let wanted = "/threads=1/format=rgba8/size=512x512/sigma=5/"
    let names = Set(rows.map { String($0[0]) }.filter { $0.contains(wanted) && !$0.contains("=memcpy/") })
    let near = Set(
      rows.filter { names.contains(String($0[0])) && Double($0[14]) ?? .infinity <= 1 }.map { String($0[0]) })
    try #require(names.count > near.count && near.count > 3)
    let page = try Report([ReportFile(at: Fixture.committed)], showsKernels: false).html()
    let choices = [
      ("format", "rgba8"), ("size", "512x512"), ("sigma", "5"), ("threads", "1"),
      ("error", "largest, measured"),
    ]
    let browser = try Browser(
      page,
      [["width": 1280, "height": 800]] + choices.map { ["eval": Browser.choosing($0.0, $0.1)] } + [
        ["eval": Browser.count("#errors .mark")],
        ["eval": Browser.choosing("quality", "at most 1 level")], ["eval": Browser.count("#errors .mark")],
      ])
    #expect(browser.complaints == [])
    #expect(try browser.number(5) == names.count)
    #expect(try browser.number(7) == near.count)
  }

  @Test("The page can be filtered by kernel, and says so if nothing is left")
  func kernels() throws {
    let browser = try Browser(
      try Fixture.page(Fixture.file(Fixture.grid())),
      "document.querySelector('#filters input[value=\"1\"]').click()", Browser.count("#errors .mark"),
      "document.querySelectorAll('.kernels button')[1].click()", Browser.count("svg.plot"),
      "document.querySelector('#errors .nothing').textContent")
    #expect(try browser.number(1) == Fixture.kernels.count - 1)
    #expect(try browser.number(3) == 0)
    #expect(try browser.text(4) == "Nothing was measured for this choice.")
    #expect(browser.complaints == [])
  }

  @Test("The page works by keyboard: arrows go from mark to mark, and Enter shows the command")
  func keyboard() throws {
    let browser = try Browser(
      try Fixture.page(Fixture.file(Fixture.grid())),
      [
        ["width": 1280, "height": 800], ["eval": Browser.choosing("format", "gray8")],
        ["eval": Browser.choosing("sigma", "2")], ["key": "Tab"],
        ["eval": "document.querySelector('#errors .mark').focus() ?? 0"], ["key": "ArrowRight"],
        ["key": "Enter"],
        ["eval": "tip.hidden ? 'hidden' : tip.querySelector('code').textContent"],
        ["eval": "document.querySelectorAll('#errors .mark[tabindex=\"0\"]').length"], ["key": "Escape"],
        ["eval": "tip.hidden"],
      ])
    // The marks of the plot are sorted by time. The right arrow key moves from the fastest kernel,
    // box-triple, to the next one, simd.
    let rest = "--isa baseline --threads 1 --format gray8 --size 64x48 --sigma 2 --edge clamp"
    #expect(try browser.text(3) == "blurbench run --kernel simd \(rest)")
    #expect(try browser.number(4) == 1)
    #expect(browser.values[5] as? Bool == true)
    #expect(browser.complaints == [])
  }

  @Test("Errors are taken from certificates if the records have none")
  func certified() throws {
    let certificates = try ReportFile(
      """
      kernel,isa,format,sigma,edge,certified_levels
      simd,baseline,gray8,2.0,clamp,0.5
      simd,avx2,gray8,5.0,clamp,0.6
      pyramid,baseline,gray8,2.0,clamp,4

      """, path: "c.csv")
    let browser = try Browser(
      try Fixture.page(Fixture.file(Fixture.grid()), certificates), Browser.choosing("format", "gray8"),
      Browser.choosing("sigma", "2"), Browser.choosing("error", "any image, certified"),
      Browser.count("#errors .mark"), Browser.choosing("quality", "at most 1 level"),
      Browser.count("#errors .mark"), Browser.choosing("sigma", "5"), Browser.count("#errors .mark"))
    #expect(try browser.number(3) == 2)
    #expect(try browser.number(5) == 1)
    #expect(try browser.number(7) == 0, "of another instruction set")
    #expect(browser.complaints == [])
  }

  @Test("The mark under the pointer is described")
  func pointer() throws {
    let browser = try Browser(
      try Fixture.page(Fixture.file(Fixture.grid())),
      [
        ["width": 1280, "height": 800], ["hover": "#errors .series[data-name=pyramid] .mark"],
        ["eval": "tip.querySelector('strong').textContent"],
        ["eval": "[...tip.querySelectorAll('dd')].map(text => text.textContent).join(' | ')"],
        ["hover": "h1"], ["eval": "tip.hidden"],
      ])
    #expect(try browser.text(0) == "pyramid")
    // The tooltip describes the kernel pyramid at sigma 5. Its three times are 98, 100 and 103 ns, multiplied
    // by 3 for the kernel and by 6 for the sigma. The interval covers all three times, because the median of
    // three samples is so uncertain.
    #expect(
      try browser.text(1)
        == "rgba8, 64x48, sigma 5, clamp, baseline, 1 thread | 1.8 µs, the median of 3; 1.76 µs to 1.85 µs | "
        + "17.6 to 18.5 times as long | 2 levels")
    #expect(browser.values[2] as? Bool == true)
    #expect(browser.complaints == [])
  }

  @Test("Each plot has a table, whose CSV contains no formula")
  func tables() throws {
    let formula = "=HYPERLINK(1)"
    let records = Fixture.grid() + Fixture.samples(Fixture.name(formula), times: [7], error: 1)
    let browser = try Browser(
      try Fixture.page(Fixture.file(records)), Browser.choosing("sigma", "2"),
      Browser.choosing("format", "gray8"),
      "var csv; URL.createObjectURL = blob => (csv = blob.text(), 'data:,'), 0",
      "document.querySelectorAll('figure details.table').forEach(table => { table.open = true; })",
      "new Promise(done => setTimeout(done))", Browser.count("#errors tbody tr"),
      "document.querySelector('#errors .table button').click()", "csv", Browser.count("figure svg.plot"),
      Browser.count("figure:not(#fastest-0) tbody"))
    #expect(try browser.number(5) == Fixture.kernels.count + 1)
    let lines = try browser.text(7).split(whereSeparator: \.isNewline)
    #expect(lines.count == Fixture.kernels.count + 2)
    #expect(lines[1].hasPrefix("\"'=HYPERLINK(1)\",baseline,1,gray8,64x48,2,clamp,warm,7,"), "\(lines[1])")
    #expect(try browser.number(8) == browser.number(9))
    #expect(browser.complaints == [])
  }

  @Test("The runs of two machines are on one page, and each is shown by itself")
  func machines() throws {
    let browser = try Browser(
      try Report(try Fixture.machines(), showsKernels: false).html(), Browser.choosing("file", "two.csv"),
      Browser.count("#errors .mark"), "document.querySelector('.about').textContent")
    #expect(try browser.number(1) == Fixture.kernels.count)
    #expect(try browser.text(2).contains("Some CPU one, 2 cores · Some CPU two, 2 cores"))
    #expect(browser.complaints == [])
  }

  @Test("Hostile text is never taken for markup, wherever it appears")
  func hostile() throws {
    let bait = "<img src=x onerror=\"window.caught=1\"></script><script>window.caught=1</script>"
    var refused = Record(name: Fixture.name("b'\"\(bait)"))
    (refused.label, refused.errorMessage) = ("skipped", bait)
    let records = Fixture.samples(Fixture.name("a\(bait)"), times: [5, 6, 7]) + Fixture.grid() + [refused]
    let field = "\"" + bait.replacing("\"", with: "\"\"") + "\""
    let certificates =
      "kernel,format,sigma,edge,isa,certified_levels,violation\n\(field),gray8,2,clamp,baseline,3,\(field)\n"
    var moved = records
    for index in moved.indices { moved[index].machineKey = bait }
    let page = try Fixture.page(
      Fixture.file(
        records, "\(bait).csv", provenance: "date: \(bait)\n\(bait): x\nmachine key: key\ncpu: \(bait)"),
      Fixture.file(moved, "moved.csv"), ReportFile(certificates, path: "c.csv"))
    let browser = try Browser(
      page, "document.querySelectorAll('details').forEach(details => { details.open = true; })",
      "new Promise(done => setTimeout(done, 100))", "String(window.caught)", Browser.count("script"),
      Browser.count("img"), "document.body.textContent.includes('a' + \(Self.quoted(bait)))")
    #expect(try browser.text(2) == "undefined")
    #expect(try browser.number(3) == 2, "the data and the page's own")
    #expect(try browser.number(4) == 0)
    #expect(browser.values[5] as? Bool == true)
    #expect(browser.complaints == [])
  }

  @Test("No other script runs, even if one gets into the page")
  func secondWall() throws {
    let browser = try Browser(
      try Fixture.page(Fixture.file(Fixture.grid())),
      """
      (() => { const script = document.createElement('script'); script.textContent = 'window.caught = 1';
        document.body.append(script); })()
      """, "String(window.caught)")
    #expect(try browser.text(1) == "undefined")
    #expect(browser.complaints.contains { $0.contains("Content Security Policy") }, "\(browser.complaints)")
  }

  @Test("Dates, comparisons, certificates, scenes and unmeasured cases are all shown")
  func everything() throws {
    let dated = try (1...9).map { day in
      try Fixture.file(
        Fixture.grid(scale: day > 5 ? 2 : 1).filter { !$0.name.contains("rgba8") },
        "2026-01-0\(day).csv", provenance: "date: 2026-01-0\(day)T00:00:00Z\ncpu: A <b>CPU</b>\ncores: 2")
    }
    let wrong = Fixture.samples(Fixture.name("simd", "rgbaf32"), times: []) + [Fixture.wrong]
    let scene = Fixture.name("simd").replacing("/kernel=", with: "/scene=list@phone/kernel=")
    let scenes = try Fixture.file(Fixture.samples(scene, times: [1, 2]) + wrong, "scenes.csv")
    let certificates = try ReportFile(
      """
      kernel,isa,format,sigma,edge,certified_levels,promise
      simd,avx512,gray8,2.0,clamp,0.5,exact
      simd,avx512,gray8,4.0,clamp,0.7,exact

      """, path: "c.csv")
    let comparison = try ReportFile(Fixture.comparison, path: "d.json")
    let report = Report(dated + [scenes, certificates, comparison], showsKernels: true)
    // Each of the nine dated files has 16 cases, for four kernels at four sigmas. With one scene and one
    // wrong case, there are 146 cases. memcpy is not counted as a case.
    #expect(
      report.sentences[0]
        == "1 of 146 cases gave a wrong result: box-triple on rgbaf32 64x48, sigma 2, clamp: "
        + "off by 9 levels.")
    #expect(report.sentences[1].hasPrefix("Regression: 1 slower, 1 the same of 2 cases; the largest change:"))
    #expect(report.sentences[2].hasPrefix("Regression: 16 of 16 cases in 9 files became slower"))
    let browser = try Browser(
      try report.html(), Browser.choosing("file", "2026-01-09.csv"), Browser.choosing("sigma", "5"),
      "[...document.querySelectorAll('main > section > h2')].map(title => title.textContent).join()",
      Browser.count("#dates-0 .mark"), Browser.count("#forest-0 .mark"), Browser.count("#certified .mark"),
      Browser.count(".card"), "[...document.images].every(image => image.naturalWidth === 160)",
      "[...document.querySelectorAll('svg.plot')].every(plot => !/NaN|Infinity/.test(plot.outerHTML))",
      "document.querySelectorAll('details').forEach(details => { details.open = true; })",
      "new Promise(done => setTimeout(done, 100))",
      "/\\[object|undefined|NaN/.exec(document.querySelector('main').innerText)?.[0] ?? 'none'",
      "document.querySelector('#environment dl').innerText")
    let first = "Comparison,Fastest kernels,Error against time,Time against sigma,Samples,History,"
    #expect(try browser.text(2) == first + "Certificates,Kernels,Not measured,Environment")
    #expect(try browser.number(3) == 9 * (Fixture.kernels.count + 1))
    #expect(try browser.number(4) == 2)
    #expect(try browser.number(5) == 2)
    #expect(try browser.number(6) == 3)
    #expect(browser.values[7] as? Bool == true)
    #expect(browser.values[8] as? Bool == true)
    #expect(try browser.text(11) == "none")
    #expect(try browser.text(12).contains("A <b>CPU</b>"))
    #expect(browser.complaints == [])
  }

  private static func quoted(_ text: String) -> String {
    String(decoding: try! JSONEncoder().encode(text), as: UTF8.self)
  }
}
