import Dispatch
import Foundation
import TestSupport
import Testing

@testable import Blur
@testable import BlurWisdom

@Suite("Wisdom files")
struct WisdomFileTests {
  static let here = Processor(model: "CPU of a test", cores: 3, isa: .avx2)

  static func good() throws -> Wisdom {
    var wisdom = Wisdom(here, date: "2026-01-02T03:04:05Z")
    wisdom.problems = [
      Wisdom.Problem(
        try MeasuredProblem(
          ImageLayout(.rgba8, width: 30, height: 20, stride: 128), sigma: Sigma(x: 2.5, y: 3.5), edge: .wrap,
          threads: 2),
        times: [Wisdom.Time(kernel: "simd", isa: "avx2", ns: 1234.5, within: 1)])
    ]
    return wisdom
  }

  /// Calls `body` with the path of a temporary file that holds `bytes`.
  static func withFile<R>(_ bytes: Data, _ body: (String) throws -> R) throws -> R {
    try Scratch.path(".json") { url in
      try bytes.write(to: url)
      return try body(url.path)
    }
  }

  /// Returns the text of the wisdom file for `good()`, the example of these tests, after replacing `old` with
  /// `new` in it.
  static func text(_ old: String = "", _ new: String = "") throws -> Data {
    let text = try WisdomFile.text(of: good())
    #expect(old.isEmpty || text.contains(old), "\(old) is not in \(text)")
    return Data((old.isEmpty ? text : text.replacingOccurrences(of: old, with: new)).utf8)
  }

  @Test("Text from a wisdom file cannot send control sequences to the terminal")
  func noCommands() throws {
    try Self.withFile(Self.text("\"revision\" : \"", "\"revision\" : \"\\u001b[2J")) { path in
      let error = #expect(throws: WisdomFile.Failure.self) { try WisdomFile.load(path, for: Self.here) }
      #expect(error?.description.contains("revision [2J") == true, "\(String(describing: error))")
    }
  }

  @Test("A written file is read back unchanged")
  func roundTrip() throws {
    try Self.withFile(Self.text()) { path in
      let loaded = try WisdomFile.load(path, for: Self.here)
      #expect(try loaded == Self.good())
      let (wisdom, warning) = LinkedWisdom.load(path, isNamed: true, processor: Self.here)
      #expect(try wisdom == Self.good() && warning == nil)
    }
  }

  @Test("A problem without a stride has rows without padding")
  func tight() throws {
    let wisdom = try WisdomFile.parse(Array(Self.text("\"stride\" : 128,", "")), path: "f")
    let measured = try #require(wisdom.problems[0].measured)
    #expect(measured.layout == (try ImageLayout(.rgba8, width: 30, height: 20)))
    #expect(Wisdom.Problem(measured, times: wisdom.problems[0].times) == wisdom.problems[0])
    // One entry of the file has rows with padding (a stride), and the other has rows without padding. They
    // are two different problems, so merging keeps both.
    var both = wisdom
    both.merge(try Self.good().problems)
    #expect(both.problems.count == 2)
  }

  @Test("The key of a machine matches its older records")
  func key() {
    // The expected key comes from the provenance of the records of 2026-11-21.
    #expect(Processor(model: "AMD EPYC", cores: 2, isa: .avx512).key == "b149969a674758ec")
    let xeon = Processor(model: "Intel(R) Xeon(R) Processor", cores: 2, isa: .avx512)
    #expect(xeon.key == "23c26b0bed132f4a")
  }

  @Test(
    "Files from other machines or for other kernels are ignored, with a warning that says how to renew them")
  func otherMachine() throws {
    try Self.withFile(Self.text()) { path in
      let other = Processor(model: "CPU of a test", cores: 4, isa: .avx2)
      #expect(throws: WisdomFile.Failure.otherMachine(path: path, model: "CPU of a test")) {
        try WisdomFile.load(path, for: other)
      }
      #expect(throws: WisdomFile.Failure.stale(path: path, revision: Registry.revision)) {
        try WisdomFile.load(path, for: Self.here, revision: "other")
      }
      let loaded = LinkedWisdom.load(path, isNamed: false, processor: other)
      let warning = try #require(loaded.warning)
      #expect(
        warning.contains("another machine") && warning.contains("blurbench tune --renew --output \(path)'"))
      // The file lists the problems whose times must be measured again. So the command in the warning needs
      // no options for the image or the blur.
      #expect(!warning.contains("--format"))
      #expect(loaded.wisdom == nil)
    }
  }

  @Test("A missing file gives a warning only if it was named explicitly")
  func missing() {
    #expect(LinkedWisdom.load("/no/such/file.json", isNamed: false).warning == nil)
    let warning = LinkedWisdom.load("/no/such/file.json", isNamed: true).warning ?? ""
    #expect(warning.contains("no such file"))
    // Without these options, the command would measure other problems than the ones that the program blurs.
    for option in ["--output /no/such/file.json", "--format", "--size", "--sigma", "--edge", "--threads"] {
      #expect(warning.contains(option), "\(warning)")
    }
    #expect(LinkedWisdom.load(nil, isNamed: true).warning == nil)
  }

  @Test("The times of a file get into the table for choosing, except those of unknown instruction sets")
  func recorded() throws {
    var wisdom = try Self.good()
    wisdom.problems[0].times.append(Wisdom.Time(kernel: "simd", isa: "avx9", ns: 1))
    let table = MeasuredTimes()
    wisdom.record(in: table)
    #expect(table.all.count == 1)
    #expect(
      table.times(of: wisdom.problems[0].measured) == [
        KernelTime(kernel: "simd", instructionSet: .avx2, nanoseconds: 1234.5)
      ])
  }

  @Test(
    "Files with impossible numbers or unknown names are rejected",
    arguments: [
      ("1234.5", "1e999"), ("1234.5", "-1"), ("1234.5", "0"), ("1234.5", "NaN"), ("1234.5", "1e300"),
      ("\"width\" : 30", "\"width\" : 0"), ("\"height\" : 20", "\"height\" : -20"),
      ("\"height\" : 20", "\"height\" : 99999999999999999999"), ("\"sigma_x\" : 2.5", "\"sigma_x\" : 1001"),
      ("\"sigma_y\" : 3.5", "\"sigma_y\" : null"), ("\"threads\" : 2", "\"threads\" : 0"),
      ("\"stride\" : 128", "\"stride\" : 119"), ("\"stride\" : 128", "\"stride\" : 9223372036854775807"),
      ("\"wrap\"", "\"warp\""), ("\"rgba8\"", "\"rgba9\""), ("blur-wisdom", "other"),
      ("\"version\" : 2", "\"version\" : 1"), ("\"problems\" : [", "\"problems\" : [[],"), ("{", "["),
      ("\"ns\"", "\"nanoseconds\""),
    ])
  func impossible(old: String, new: String) throws {
    try Self.withFile(Self.text(old, new)) { path in
      let (wisdom, warning) = LinkedWisdom.load(path, isNamed: true, processor: Self.here)
      #expect(wisdom == nil)
      #expect(warning?.contains("blurbench tune --renew") == true && warning?.contains("--format") == true)
    }
  }

  @Test("A file that is cut short is rejected")
  func truncated() throws {
    let whole = try Self.text()
    // The last byte is the final newline. A file that lacks only this byte is still complete.
    for count in 0..<whole.count - 1 {
      #expect(throws: WisdomFile.Failure.self) { try WisdomFile.parse(Array(whole.prefix(count)), path: "f") }
    }
  }

  @Test("A file that is too large or too deeply nested is rejected early")
  func tooLarge() throws {
    let spaces = [UInt8](repeating: 0x20, count: WisdomFile.mostBytes + 1)
    let size = "is larger than 16 MiB, the largest allowed size"
    #expect(throws: WisdomFile.Failure.unusable(path: "f", reason: size)) {
      try WisdomFile.parse(spaces, path: "f")
    }
    var many = try Self.good()
    many.problems = Array(repeating: many.problems[0], count: WisdomFile.mostProblems + 1)
    let bytes = Array(try WisdomFile.text(of: many).utf8)
    let count = "has more than 20000 problems, the largest allowed number"
    #expect(throws: WisdomFile.Failure.unusable(path: "f", reason: count)) {
      try WisdomFile.parse(bytes, path: "f")
    }
    var wide = try Self.good()
    wide.problems[0].times = Array(repeating: wide.problems[0].times[0], count: WisdomFile.mostTimes + 1)
    #expect(throws: WisdomFile.Failure.self) {
      try WisdomFile.parse(Array(WisdomFile.text(of: wide).utf8), path: "f")
    }
    let deep = [UInt8](repeating: UInt8(ascii: "["), count: 1 << 20)
    #expect(throws: WisdomFile.Failure.self) { try WisdomFile.parse(deep, path: "f") }
  }

  @Test(
    "Paths that are not regular files are rejected at once", arguments: ["/dev/zero", "/tmp", "/dev/null"])
  func noFile(path: String) {
    let reason = "cannot be read: it is not a regular file"
    #expect(throws: WisdomFile.Failure.unusable(path: path, reason: reason)) {
      try WisdomFile.read(path)
    }
  }

  @Test("A pipe that nobody writes to does not block the program")
  func pipe() {
    let path = Scratch.unused().path
    #expect(mkfifo(path, 0o600) == 0)
    defer { unlink(path) }
    // The read gets its own thread instead of a time limit on the test. A time limit would also count the
    // time in which other tests occupy the threads.
    let isRead = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      #expect(throws: WisdomFile.Failure.self) { try WisdomFile.read(path) }
      isRead.signal()
    }
    #expect(isRead.wait(timeout: .now() + 60) == .success)
  }

  @Test("The path comes from BLUR_WISDOM, or else from the user's configuration folder")
  func places() {
    let path = { (variables: [String: String]) in WisdomFile.path { variables[$0] } }
    #expect(path(["BLUR_WISDOM": "/a/b.json", "HOME": "/h"]) == "/a/b.json")
    #expect(path(["BLUR_WISDOM": "none", "HOME": "/h"]) == nil)
    #expect(path(["XDG_CONFIG_HOME": "/x", "HOME": "/h"]) == "/x/blur/wisdom.json")
    #expect(path(["HOME": "/h"]) == "/h/.config/blur/wisdom.json")
    #expect(path([:]) == nil)
  }

  @Test("Merging replaces the problems that were measured again and keeps the others")
  func merge() throws {
    var wisdom = try Self.good()
    var again = try Self.good().problems[0]
    again.times[0].ns = 7
    var other = again
    other.sigmaX = 9
    wisdom.merge([again, other, other])
    #expect(wisdom.problems == [again, other])
  }

  @Test("The CPU's name is read from the text of /proc/cpuinfo")
  func model() {
    let text = "processor\t: 0\nmodel name\t:  Some CPU: fast \nflags\t: a b\n\nmodel name\t: Another\n"
    #expect(Processor.model(cpuInfo: text) == "Some CPU: fast")
    #expect(Processor.model(cpuInfo: "CPU implementer : 0x41\nCPU part\t: 0xd0c\n") == "ARM 0x41 0xd0c")
    #expect(Processor.model(cpuInfo: "") == "unknown CPU")
    let amd = { (family: Int) in "cpu family\t: \(family)\nmodel\t\t: 17\nmodel name\t: AMD EPYC\n" }
    #expect(Processor.model(cpuInfo: amd(25)) == "AMD EPYC family 25 model 17")
    let keys = [25, 26].map { Processor(model: Processor.model(cpuInfo: amd($0)), cores: 2, isa: .avx2).key }
    #expect(keys[0] != keys[1], "virtual machines call different CPUs by one name")
  }
}
