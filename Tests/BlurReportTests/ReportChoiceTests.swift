import BlurRecords
import Foundation
import TestSupport
import Testing

@testable import BlurReport

@Suite(
  "The report page at first, and after a click", .tags(.browser), .slow,
  .enabled(if: Browser.isInstalled, "Chromium is not installed (package chromium)"), .serialized)
struct ReportChoiceTests {
  /// A JavaScript expression for the titles of the visible sections. The expression `links` below lists the
  /// visible links to sections.
  private static let sections = """
    [...document.querySelectorAll('main > section:not([hidden]) > h2')].map(title => title.textContent).join()
    """
  private static let links = """
    [...document.querySelectorAll('nav a')].filter(link => link.offsetWidth)
      .map(link => link.textContent).join()
    """

  @Test("A comparison comes first, with the worst cases on top and undecided cases apart")
  func comparison() throws {
    let cases = [
      ("pyramid", "same", 1.01), ("simd", "regressed", 1.2), ("dct", "regressed", 2.0),
      ("fft", "can't tell", 1.5), ("sii", "improved", 0.4),
    ].map { kernel, verdict, ratio in
      """
      {"name": "\(Fixture.name(kernel))", "verdict": "\(verdict)", "pairs": 12, "faults": [],
       "base": {"time": 100}, "head": {"time": \(100 * ratio)},
       "ratio": {"estimate": \(ratio), "low": \(ratio - 0.02), "high": \(ratio + 0.02)}}
      """
    }
    let wrong = """
      {"name": "\(Fixture.name("stack"))", "verdict": "can't tell", "pairs": 0, "base": {"time": 100},
       "head": {}, "faults": [{"kind": "wrong result", "reason": "off by 9 levels"}]}
      """
    let comparison = """
      {"base": "a", "head": "b", "method": "processes", "threshold": 0.05, "doubts": [], "notes": [],
       "provenance": [], "outcome": "regressed", "cases": [\((cases + [wrong]).joined(separator: ","))]}
      """
    let page = try Fixture.page(
      Fixture.file(Fixture.grid()), ReportFile(comparison, path: "c.json"))
    let texts = { (part: String) in
      "[...document.querySelectorAll('#forest-0 text\(part)')].map(text => text.textContent).join('|')"
    }
    let browser = try Browser(
      page, "document.querySelector('main > section').id", texts(".label:not(.heading, .note, .copy)"),
      texts(".note"), texts(".heading"), Browser.count("#forest-0 .mark"),
      "document.querySelector('h1').textContent")
    #expect(try browser.text(0) == "comparison-0")
    #expect(try browser.text(1) == "stack|dct|simd|sii|pyramid|fft")
    #expect(try browser.text(2) == "wrong, no time|regressed|regressed|improved|same|can't tell")
    #expect(try browser.text(3).hasPrefix("Undecided: 1") && browser.number(4) == 6)
    #expect(try browser.text(5).contains("dct takes 2.00x as long"))
    #expect(browser.complaints == [])
  }

  @Test("A section without a figure is hidden, together with its heading and the links to it")
  func hidden() throws {
    let scene = Fixture.name("simd", sigma: 3).replacing("/kernel=", with: "/scene=list@phone/kernel=")
    var frames = Fixture.samples(scene, times: [9e6, 5e6, 4e6])
    for index in frames.indices { frames[index].frames = FrameFigures(times: [3e6, 30e6, 4e6]) }
    let page = try Fixture.page(Fixture.file(Fixture.grid() + frames))
    let browser = try Browser(
      page, Self.sections, Self.links, Browser.choosing("scene", "list@phone"), Self.sections, Self.links,
      Browser.count("#lateness .mark"))
    let blurs = "Fastest kernels,Error against time,Time against sigma,Samples,Environment"
    #expect(try browser.text(0) == blurs && browser.text(1) == blurs)
    let scenes = "Fastest kernels,Error against time,Frames,Samples,Environment"
    #expect(try browser.text(3) == scenes && browser.text(4) == scenes)
    #expect(try browser.number(5) == 1)
    #expect(browser.complaints == [])
  }

  @Test("Two files of the same day do not make a history")
  func history() throws {
    let files = try [1, 2].map { hour in
      try Fixture.file(
        Fixture.grid(), "\(hour).csv", provenance: "date: 2026-01-01T0\(hour):00:00Z\ncpu: A\ncores: 2")
    }
    let browser = try Browser(try Report(files, showsKernels: false).html(), Self.sections)
    #expect(try !browser.text(0).contains("History"))
  }

  @Test("Every workload of the matrix opens an error plot with its winner, whatever errors are known")
  func clicks() throws {
    let certificates = """
      kernel,isa,format,sigma,edge,certified_levels,uncertainty_levels
      box-triple,baseline,gray8,2.0,clamp,0.5,0.1
      simd,baseline,gray8,2.0,clamp,0.7,0.1

      """
    let page = try Fixture.page(
      Fixture.file(Fixture.grid()), ReportFile(certificates, path: "c.csv"))
    let browser = try Browser(
      page,
      """
      [...document.querySelectorAll('.fastest td button')].map((_, i) => {
        const button = document.querySelectorAll('.fastest td button')[i];
        button.click();
        return document.querySelectorAll('#errors [data-name="box-triple"] .mark').length;
      }).join('')
      """, "document.querySelector('#certified .mark').getAttribute('aria-label')")
    #expect(try browser.text(0) == "11111111")
    #expect(try browser.text(1).contains("sigma 2,") && browser.text(1).contains("0.5 levels ± 0.1"))
    #expect(browser.complaints == [])
  }

  @Test("Blurs at another pace are another workload")
  func pace() throws {
    let cold = Fixture.name("simd") + "/pace=cold"
    let records = Fixture.grid() + Fixture.samples(cold, times: [900, 910, 920])
    let browser = try Browser(
      try Fixture.page(Fixture.file(records)),
      "[...document.querySelectorAll('.fastest tbody th')].map(title => title.textContent).join('|')",
      Browser.choosing("pace", "cold"), Browser.count("#errors .mark"), Browser.count("#samples .mark"))
    #expect(try browser.text(0) == "gray8 64x48|rgba8 64x48|gray8 64x48, cold")
    #expect(try browser.number(2) == 1 && browser.number(3) == 1)
    #expect(browser.complaints == [])
  }

  @Test("An address with a fragment opens the workload that it names")
  func address() throws {
    let page = try Fixture.page(Fixture.file(Fixture.grid()))
    let browser = try Browser(
      page, "location.hash = 'format=gray8&sigma=1&file=records.csv', String(chooseAddressed())",
      "refresh(), document.querySelector('#errors p').textContent",
      "location.hash = 'format=gray8&sigma=77', String(chooseAddressed())")
    #expect(try browser.text(0) == "true" && browser.text(1).hasPrefix("gray8, 64x48, sigma 1, 1 thread"))
    #expect(try browser.text(2) == "false")
  }

  @Test("Labels of the error plot cover no line, mark or other label", arguments: [1400, 390])
  func labels(width: Int) throws {
    let page = try Report([ReportFile(at: Fixture.committed)], showsKernels: false).html()
    let browser = try Browser(
      page, width: width,
      """
      (() => {
        const plot = document.querySelector('#errors svg.plot');
        const boxes = [...plot.querySelectorAll('text.label:not(.copy)')].map(text => text.getBBox());
        const inside = (box, x, y) => x > box.x && x < box.x + box.width && y > box.y + 2
          && y < box.y + box.height - 2;
        const points = line => Array.from({ length: 400 }, (_, i) =>
          line.getPointAtLength(line.getTotalLength() * i / 399));
        const lines = [...plot.querySelectorAll('.front, .line.ends, .rule')].flatMap(points);
        const struck = boxes.filter(box => lines.some(({ x, y }) => inside(box, x, y)));
        const met = boxes.filter((a, i) => boxes.some((b, k) => k > i && a.x < b.x + b.width - 2
          && b.x < a.x + a.width - 2 && a.y < b.y + b.height - 5 && b.y < a.y + a.height - 5));
        return [boxes.length, struck.length, met.length].join();
      })()
      """)
    let counts = try browser.text(0).split(separator: ",").compactMap { Int($0) }
    #expect(counts[0] >= (width > 1000 ? 12 : 6) && counts[1] == 0 && counts[2] == 0, "\(counts)")
    #expect(browser.complaints == [])
  }
}
