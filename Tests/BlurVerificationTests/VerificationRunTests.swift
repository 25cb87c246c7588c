import Blur
import Foundation
import TestSupport
import Testing

@testable import BlurVerification

@Suite struct VerificationRunTests {
  /// At these sigmas, some kernels downsample the image first. Others extend each line beyond the edges by
  /// more pixels than the line itself has. So edges, regions, threads and strides are handled by other code
  /// than at small sigmas. Except in a complete run, this test tries one format for each component type, and
  /// only the widest instruction set.
  @Test(
    "Kernels also have the properties at large sigmas",
    .tags(.long), .slow, arguments: ["pyramid", "pyramid-fine", "dual-kawase", "fft"], [9.0, 30])
  func largeSigmasHoldTheProperties(_ name: String, _ sigma: Double) throws {
    var run = VerificationRun(
      kernels: [try Registry.kernel(named: name)],
      properties: [
        .truth, .impulse, .constant, .large, .region, .tiles, .threads, .guards, .strides, .crops, .nanLocal,
      ])
    run.sigmas = [try Sigma(sigma)]
    run.images = [(513, 9), (90, 300)].map { SampleImage(kind: .noise, width: $0, height: $1) }
    if !Tiers.isAll {
      run.formats = [.rgba8, .gray16, .rgbf32]
      run.includesWidest = true
    }
    let failures = try run.checks().compactMap { check in
      check.outcome.failure.map { "\($0.message): \(check.command)" }
    }
    #expect(failures == [])
  }

  @Test("A failure is reported with the command that repeats it")
  func aFailureNamesTheCommandThatRepeatsIt() throws {
    var run = VerificationRun(
      kernels: [Kernel(MutantKernel<WrongSigma>())], properties: [.truth], threads: [2])
    (run.formats, run.sigmas, run.edgeNames) = ([.rgba8], [try Sigma(x: 2.5, y: 3)], ["constant-colour"])
    let report = VerificationReport(try run.checks())
    let command =
      "blurbench verify --kernel WrongSigma --property truth --format rgba8 --sigma 2.5x3.0"
      + " --edge constant-colour --isa baseline --threads 2"
    #expect(report.hasFailures)
    #expect(report.rows.map(\.command) == [command])
    #expect(report.text.contains(command))
    #expect(try #require(report.rows[0].maxErrorLevels) > 1)
  }

  /// The property `threads` compares blurs on several numbers of threads. If the printed command contained
  /// --threads, it would wrongly suggest that the kernel fails with that number of threads.
  @Test("The command that repeats a failure of `threads` has no number of threads")
  func theCommandOfThreadsNamesNoNumber() throws {
    let kernel = Kernel(MutantKernel<ThreadSeam>())
    var run = VerificationRun(kernels: [kernel], properties: [.threads, .truth])
    (run.formats, run.sigmas, run.edgeNames) = ([.gray8], [try Sigma(0.7)], ["clamp"])
    let commands = try run.checks().map(\.command)
    #expect(commands.map { $0.contains("--threads") } == [false, true])
  }

  /// A failure with a large image is shown on the smallest image that fails as well.
  @Test("A failure is reduced to a smaller image and a smaller sigma")
  func failuresAreReduced() throws {
    var run = VerificationRun(kernels: [Kernel(MutantKernel<WrongAtSizeOne>())], properties: [.shapes])
    (run.formats, run.edgeNames, run.sigmas) = ([.rgba8], ["mirror"], [try Sigma(12)])
    run.images = [SampleImage(kind: .noise, width: 1, height: 40)]
    let failed = try run.checks()[0].reduced()
    #expect(failed.outcome.failure != nil)
    #expect(failed.subject.image?.width == 1 && failed.subject.image?.height == 1)
    #expect(failed.subject.sigma.x < 12)
    #expect(failed.command.contains("--size 1x1"))
    var repeated = run
    (repeated.images, repeated.sigmas) = ([try #require(failed.subject.image)], [failed.subject.sigma])
    #expect(try repeated.checks().count == 1 && repeated.checks()[0].outcome.failure != nil)
  }

  /// If a property makes its own images, the report names the smallest image that shows the failure.
  @Test("A failure of a property with its own images is shown on a smaller image")
  func failuresOfOwnImagesAreShownOnTheSmallest() throws {
    var run = VerificationRun(kernels: [Kernel(MutantKernel<WrongSigma>())], properties: [.axes])
    (run.formats, run.edgeNames, run.sigmas) = ([.gray8], ["clamp"], [try Sigma(2.5)])
    let failed = try run.checks()[0]
    #expect(failed.outcome.failure != nil && failed.subject.image == nil)
    let smallest = try #require(failed.onSmallestImage())
    let image = try #require(smallest.subject.image)
    #expect(image.width * image.height < 37 * 29)
    #expect(smallest.command.contains("--property shapes --format gray8"))
    guard case .failed = smallest.property.check(smallest.kernel, smallest.subject) else {
      Issue.record("\(smallest.command) does not fail")
      return
    }
    let summary = VerificationSummary([failed], smallest: smallest).repeated(with: ["--plugin", "x.so"])
    #expect(summary.smallest == smallest.command + " --plugin x.so")
    let text = VerificationReport(rows: [summary]).text
    #expect(text.contains(smallest.command))
    // A process may crash while it reduces the failure that it found.
    #expect(text.contains("\n    no picture (the process ended before one could be drawn)\n"))
  }

  /// A check that has failed in one process is made again in another, so its conditions are sent there.
  @Test("The run of a single check has only this check, also after it was sent to another process")
  func aCheckIsSentToAnotherProcess() throws {
    let kernel = try Registry.kernel(named: "simd")
    let subject = Subject(
      .rgbf32, sigma: try Sigma(x: 0.1, y: 2.5), edge: .wrap, threads: 2,
      image: SampleImage(kind: .step, width: 5, height: 3))
    let run = Check(kernel, .shapes, subject, failure: "").run
    let sent = try JSONDecoder().decode(VerificationRun.self, from: JSONEncoder().encode(run))
    #expect(try sent.subjects(kernel, .shapes) == [subject])
  }

  /// The property `large` is checked at the largest sigmas, with rows and columns of up to 70,000 pixels. The
  /// test is fast because only some rows or columns of the exact blur are computed.
  @Test("The largest sigmas are checked, and a window that is cut off there is detected")
  func theLargestSigmasAreTried() throws {
    var run = VerificationRun(kernels: [try Registry.kernel(named: "simd")], properties: [.large])
    (run.formats, run.sigmas) = ([.gray8], [try Sigma(600), try Sigma(1000)])
    (run.edgeNames, run.instructionSets) = (["clamp", "wrap"], [.baseline])
    run.images = [(513, 9), (1, 70_000), (70_000, 1)].map {
      SampleImage(kind: .noise, width: $0, height: $1)
    }
    let outcomes = try run.checks().map(\.outcome)
    #expect(outcomes.count == 12)
    #expect(outcomes.compactMap { $0.reason ?? $0.failure?.message } == [])
    let wrong = Kernel(MutantKernel<ShortAtGreatSigmas>())
    (run.kernels, run.sigmas, run.edgeNames) = ([wrong], [try Sigma(600)], ["clamp"])
    run.images = [SampleImage(kind: .step, width: 1100, height: 1)]
    #expect(try run.checks().allSatisfy { $0.outcome.failure != nil })
  }

  /// The figures of a certificate are part of the report, both as text and as JSON.
  @Test("A report shows the figures of certificates")
  func aReportShowsCertificates() throws {
    var run = VerificationRun(
      kernels: [Kernel(MutantKernel<Honest>()), Kernel(MutantKernel<Unpromising>())],
      properties: [.certificate])
    (run.formats, run.edgeNames) = ([.grayf32, .rgba8], ["clamp", "wrap"])
    run.sigmas = [try Sigma(1)]
    let report = VerificationReport(try run.checks())
    #expect(report.rows.map { $0.certificates?.map(\.format) } == [["grayf32"], ["grayf32"]])
    let honest = try #require(report.rows[0].certificates?.first?.figures)
    #expect(abs(honest.across.achievedSigma - 1) < 1e-4)
    #expect(try #require(honest.worst).levels < 0.01)
    #expect(report.text.contains("Certificates: ") && !report.text.contains("own definition"))
    #expect(report.text.contains(#/Honest +grayf32 +1\.0 +1 +baseline/#))
    let json = try JSONSerialization.jsonObject(with: Data(report.json().utf8)) as? [[String: Any]]
    let certificates = json?.first?["certificates"] as? [[String: Any]]
    let worst = (certificates?.first?["figures"] as? [String: Any])?["worst"] as? [String: Any]
    #expect(worst?["levels"] as? Double == honest.worst?.levels)
  }

  /// The report lists certificates (computed worst errors). If clamped edges were certified, only these are
  /// listed, as an example of all edge modes. Otherwise each certified edge mode has a line of its own.
  @Test("Certificates name their edge modes if clamped edges are not among them")
  func certificatesOfOtherEdgesNameThem() throws {
    var run = VerificationRun(kernels: [Kernel(MutantKernel<Honest>())], properties: [.certificate])
    (run.formats, run.sigmas) = ([.grayf32], [try Sigma(1)])
    for (edges, shown) in [(["wrap", "mirror"], ["wrap", "mirror"]), (["clamp", "wrap"], ["clamp"])] {
      run.edgeNames = edges
      let report = VerificationReport(try run.checks())
      #expect(report.rows[0].certificates?.map(\.edge) == shown)
      let lines = report.text.split(separator: "\n").map { $0.split(separator: " ") }
      let header = try #require(lines.first { $0.contains("worst") && $0.first == "kernel" })
      #expect(header.contains("edge") == (shown != ["clamp"]))
      let wrapped = lines.first { $0.starts(with: ["Honest", "grayf32", "1.0"]) && $0.contains("wrap") }
      #expect((wrapped != nil) == header.contains("edge"))
    }
  }

  /// In the report, an instruction set that this CPU lacks has a line that says so, unless the user asked for
  /// certain instruction sets.
  @Test("Instruction sets that this CPU lacks are reported as skipped, by name")
  func lackingInstructionSetsAreSkippedByName() throws {
    let kernel = try Registry.kernel(named: "simd")
    let lacking = InstructionSet.allCases.filter { !$0.isAvailable }
    var run = VerificationRun(kernels: [kernel], properties: [.constant])
    let rows = run.lackingSets(of: [kernel])
    #expect(rows.map(\.property) == lacking.map(\.name))
    #expect(
      rows.allSatisfy { $0.status == .skipped && $0.message?.contains("this CPU does not support") == true })
    run.instructionSets = [.baseline]
    #expect(run.lackingSets(of: [kernel]).isEmpty)
  }

  /// Checking every combination of width, height, format and edge mode would take too long. So combinations
  /// are drawn at random. They are the same in each run, and every single width, height, format and edge mode
  /// occurs.
  @Test("Subjects that are drawn at random cover every width, height, format and edge mode")
  func drawnSubjectsCoverEveryWidthHeightFormatAndEdge() throws {
    let run = VerificationRun()
    let kernel = try Registry.kernel(named: "separable")
    let subjects = try run.subjects(kernel, .shapes)
    #expect(try subjects == run.subjects(kernel, .shapes))
    for format in PixelFormat.allCases {
      let own = subjects.filter { $0.format == format }
      #expect(Set(own.compactMap { $0.image?.width }) == Set(1...130))
      #expect(Set(own.compactMap { $0.image?.height }) == Set(1...40))
      #expect(Set(own.map(\.edgeName)) == Set(Subject.edgeNames))
      #expect(own.contains { $0.sigma.x != $0.sigma.y })
    }
    // All pairs of a width and a height must occur, except for about (2/3)⁶ of them, which are missing by
    // chance.
    #expect(Set(subjects.map { [$0.image!.width, $0.image!.height] }).count > 4600)
  }

  @Test("Formats that a kernel rejects are reported as skipped, by name")
  func whatIsRefusedIsSkippedByName() throws {
    var run = VerificationRun(kernels: [Kernel(NoFloat())], properties: [.constant, .nanLocal])
    run.sigmas = [try Sigma(1)]
    run.edgeNames = ["wrap"]
    let report = VerificationReport(try run.checks())
    #expect(report.rows.map(\.status) == [.passed, .skipped])
    let floats = PixelFormat.allCases.count { $0.component == .float32 }
    #expect(report.rows.map(\.skipped) == [floats, floats])
    #expect(report.rows.map(\.checks) == [PixelFormat.allCases.count, floats])
    #expect(report.rows[1].message == "kernel no-float does not support format grayf32")
    #expect(
      report.text.contains(
        "SKIPPED(kernel no-float does not support format grayf32, rgbaf32, rgbf32) no-float: constant, "
          + "nan-local, \(2 * floats) checks"))
    #expect(!report.hasFailures && !report.isEmpty)
  }

  /// Formats are listed in their usual order, whatever is skipped first or most often.
  @Test("Rejected formats are always listed in the same order")
  func refusedFormatsStandInOneOrder() {
    let rows = ["edge wrap", "format rgb16", "format grayf32", "format rgba16"].map {
      VerificationSummary(kernel: "k", property: "truth", skipped: "kernel k does not support \($0)")
    }
    for rows in [rows, rows.reversed()] {
      #expect(
        VerificationReport(rows: rows).text.contains(
          "SKIPPED(kernel k does not support format rgba16, grayf32, rgb16; edge wrap) k: truth"))
    }
  }

  /// In the output, each reason for skipping is one line, with all kernels that it applies to. Reasons that
  /// concern the machine come first.
  @Test("Checks that are skipped for the same reason share one line")
  func skipsWithOneReasonAreOneLine() throws {
    let kernels = Registry.kernels.filter { !$0.worksInPlace && !$0.isDefinition }
    var run = VerificationRun(kernels: kernels, properties: [.inPlace])
    (run.formats, run.sigmas, run.edgeNames) = ([.gray8], [try Sigma(1)], ["clamp"])
    run.instructionSets = [.baseline]
    let lacking = ["simd", "pyramid"].map {
      VerificationSummary(kernel: $0, property: "avx1024", skipped: "this CPU does not support avx1024")
    }
    let rows = VerificationReport(try run.checks()).rows + lacking
    let lines = VerificationReport(rows: rows).text.split(separator: "\n").filter { $0.hasPrefix("SKIPPED") }
    let names = kernels.map(\.name)
    try #require(names.count > 5)
    let some = names.prefix(4).joined(separator: ", ")
    #expect(
      lines == [
        "SKIPPED(this CPU does not support avx1024) simd, pyramid: avx1024",
        "SKIPPED(does not work in place) \(some) and \(names.count - 4) more: in-place, "
          + "\(names.count) checks",
      ])
    let csv = VerificationReport(rows: rows).csv
    #expect(names.allSatisfy { csv.contains("\($0),in-place,SKIPPED,1,0,1,1,") })
  }

  @Test("Tiles are skipped for a kernel that does not declare which pixels it reads")
  func whoDoesNotSayWhatItReadsNeedsNoTiles() throws {
    var run = VerificationRun(kernels: [Kernel(NoFloat())], properties: [.tiles])
    (run.formats, run.sigmas) = ([.gray8], [try Sigma(1)])
    let report = VerificationReport(try run.checks())
    #expect(report.rows.map(\.status) == [.skipped])
    #expect(report.rows[0].message == "kernel no-float reads the whole image, whatever the region")
  }

  @Test("An instruction set that a kernel lacks is skipped, not replaced by another one")
  func anInstructionSetThatAKernelLacksIsSkippedNotReplaced() throws {
    var run = VerificationRun(kernels: [Kernel(MutantKernel<Honest>())], properties: [.constant])
    run.instructionSets = [.avx512]
    let report = VerificationReport(try run.checks())
    #expect(report.isEmpty)
    #expect(
      try #require(report.rows.first?.message).contains(
        InstructionSet.avx512.isAvailable ? "no avx512 code" : "CPU"))
  }

  @Test("The widest set of each kernel is added once to the sets that are named")
  func widest() throws {
    var run = VerificationRun()
    run.includesWidest = true
    let lists: [[InstructionSet]?] = [nil, [], [.baseline], [.best]]
    for named in lists {
      run.instructionSets = named
      for (name, widest) in [("simd", InstructionSet.best), ("naive", .baseline)] {
        let subjects = try run.subjects(Registry.kernel(named: name), .constant)
        #expect(Set(subjects.map(\.instructionSet)) == Set((named ?? []) + [widest]))
        #expect(Set(subjects).count == subjects.count)
      }
    }
  }

  @Test("Expensive properties check narrower sets in few cases, or in all cases if the sets are named")
  func narrowSets() throws {
    let simd = try Registry.kernel(named: "simd")
    var run = VerificationRun()
    let isNarrow = { (subject: Subject) in subject.instructionSet != .best }
    let sigma = try Sigma(5)
    #expect(try run.subjects(simd, .certificate).filter(isNarrow).isEmpty)
    #expect(
      try run.subjects(simd, .threads).filter(isNarrow).allSatisfy {
        $0.sigma == sigma && $0.edgeName == "clamp"
      })
    #expect(try run.subjects(simd, .threads).contains(where: isNarrow) == (InstructionSet.best != .baseline))
    run.instructionSets = [.baseline]
    for property in [Property.certificate, .threads] {
      let subjects = try run.subjects(simd, property)
      #expect(subjects.allSatisfy { $0.instructionSet == .baseline })
      #expect(Set(subjects.map(\.sigma)).count == 3)
    }
  }

  @Test("A property is checked with each format, sigma and edge mode of its scope")
  func everyCombinationIsChecked() throws {
    let run = VerificationRun(kernels: [Registry.kernels[1]], properties: [.constant])
    // There are three sigmas and six edge modes for each format.
    #expect(try run.checks().count == PixelFormat.allCases.count * 3 * 6)
  }

  /// Errors that are infinite or NaN must not appear in JSON, and CSV quotes fields that contain commas.
  @Test("A report can be read back from JSON and CSV")
  func reportsCanBeReadBack() throws {
    var run = VerificationRun(
      kernels: [Kernel(MutantKernel<SpreadingNaN>())], properties: [.nanLocal, .inPlace])
    run.sigmas = [try Sigma(1)]
    let report = VerificationReport(try run.checks())
    let rows = try JSONDecoder().decode([VerificationSummary].self, from: Data(report.json().utf8))
    #expect(rows.map(\.property) == ["nan-local", "in-place"])
    #expect(rows.map(\.status) == [.failed, .skipped])
    #expect(rows[0].maxErrorLevels == nil)
    let lines = report.csv.split(separator: "\n")
    #expect(lines.count == 3)
    #expect(
      lines[0].hasPrefix("kernel,property,status,checks,failed,skipped,planned,max_error_levels,x,y,channel,")
    )
    // Each float format is checked with six edge modes.
    let count = PixelFormat.allCases.count { $0.component == .float32 } * 6
    #expect(lines[1].hasPrefix("SpreadingNaN,nan-local,FAILED,\(count),"))
    #expect(lines[1].contains(": pixels outside of its window have changed: "))
  }
}
