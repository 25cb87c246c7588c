import Blur
import BlurVerification
import Testing

@testable import BlurMeasurement
@testable import BlurRecords

@Suite("The runner, on a simulated clock")
struct RunnerTests {
  @Test("The kernels of a workload and its memcpy are timed together, one workload after another")
  func together() throws {
    let machine = FakeMachine()
    let jobs = [try Fixture.job("steady", "seamed"), try Fixture.job("steady", sigma: 5)]
    let records = try Fixture.records(jobs, machine)
    #expect(
      machine.timed == jobs.flatMap { $0.cases.map(\.name) + [Case.copying($0.workload).name] })
    #expect(records.map(\.count) == [9, 6])
  }

  @Test("A memcpy copies straight and opaque images as they are", arguments: ["straight", "opaque"])
  func copies(alpha: String) throws {
    let alpha = try #require(ImageLayout.Alpha(rawValue: alpha))
    let layout = try Size(width: 40, height: 30, padding: 5).layout(.rgba8, alpha)
    // The noise has pixels whose alpha is 0. Multiplying and dividing by alpha would lose their colours.
    let image = try TestImage.noise.image(layout, seed: 1)
    let workload = Workload(threads: 1, layout: layout, sigma: 2, edge: .clamp)
    let copy = try MemcpyRuns(of: image, hash: image.pixelHash).copy(workload, threads: 1)
    #expect(copy.verified?.outputHash == image.pixelHash)
    #expect(copy.item.name.contains("alpha=\(alpha.rawValue)"))
  }

  @Test("Each repetition has a row with its own time and its ratio to the median memcpy")
  func rows() throws {
    let machine = FakeMachine { $0.kernel == Case.memcpy ? 100 : 1000 }
    let rows = try Fixture.records([try Fixture.job("steady")], machine)[0]
    let steady = rows.filter { $0.name.contains("steady") }
    #expect(steady.map(\.repetition) == [0, 1, 2])
    #expect(steady.map(\.realTime) == [1000, 1100, 1200])
    #expect(steady.map(\.cpuTime) == [1250, 1375, 1500])
    // A sample is planned to last 1.25 times the minimum duration of 1 ms.
    #expect(steady.allSatisfy { $0.iterations == 1250 && $0.isa == "baseline" && $0.machineKey == "feed" })
    // The median memcpy sample takes 110 ns, and the fastest takes 100 ns.
    #expect(abs(steady[1].memcpyRatio! - 10) < 1e-9)
    #expect(abs(steady[0].ceilingShare! - 0.1) < 1e-9)
    // 20 × 10 bytes are read and written in 1 µs. The padding of rows does not count.
    #expect(abs(steady[0].bytesPerSecond! - 4e8) < 1)
    #expect(abs(steady[0].megapixelsPerSecond! - 200) < 1e-6)
    #expect(steady[0].planTime != nil && steady[0].maxErrorLevels != nil && steady[0].outputHash != nil)
    // The kernel ignores its input and always writes the same value. A certificate is the computed worst case
    // over all images. Here it finds that a white image would be wrong by 255 levels.
    #expect(abs(try #require(steady[0].certifiedLevels) - 255) < 1)
    let copy = rows.filter { $0.name.contains("memcpy") }
    #expect(copy.count == 3 && copy[1].memcpyRatio == 1 && copy[0].planTime == nil)
  }

  @Test("All kernels on an image have one baseline, the fastest copy with any number of threads")
  func baseline() throws {
    // The simulated memcpy takes 100 ns on one thread, 400 ns on two threads and 200 ns on three threads.
    let machine = FakeMachine { item in
      item.kernel == Case.memcpy ? [100, 400, 200][item.workload.threads - 1] : 1000
    }
    var options = Fixture.options
    options.cores = 3
    let jobs = try [1, 2].map { try Fixture.job("steady", threads: $0) }
    let records = try Fixture.records(jobs, machine, options: options)
    for rows in records {
      let steady = rows.filter { $0.name.contains("steady") }
      #expect(steady.allSatisfy { abs($0.memcpyRatio! - $0.realTime! / 110) < 1e-9 })
      #expect(steady.allSatisfy { abs($0.ceilingShare! - 100 / $0.realTime!) < 1e-9 })
      #expect(rows.allSatisfy { $0.memcpyThreads == 1 && $0.memcpyLow == 100 && $0.memcpyHigh == 120 })
      #expect(rows.allSatisfy { $0.memcpyRatio != nil })
    }
    // The results also list the memcpy with as many threads as the kernels use. It is compared with the
    // fastest memcpy, as the kernels are.
    let copies = records[1].filter(\.isCopy)
    #expect(
      copies.count == 3 && copies.allSatisfy { abs($0.memcpyRatio! - $0.realTime! / 110) < 1e-9 })
    #expect(copies.map(\.threads) == [2, 2, 2])
    // The first measurement times memcpy with one, two and three threads, to find the fastest number of
    // threads. Afterwards, this memcpy is timed again together with the kernels of each workload.
    let alone = try (1...3).map { Case.copying(try Fixture.job(threads: $0).workload).name }
    let kernels = jobs.map { $0.cases[0].name }
    #expect(machine.timed == alone + [kernels[0], alone[0]] + [kernels[1], alone[1], alone[0]])
  }

  @Test("A certificate that would take too long is left out, and nothing else is")
  func certificates() throws {
    var options = Fixture.options
    options.certifySeconds = 0
    let rows = try Fixture.records([try Fixture.job("steady")], options: options)[0]
    #expect(rows.allSatisfy { $0.certifiedLevels == nil && $0.isMeasured })
  }

  @Test("A kernel whose certificate breaks its promise is wrong, whatever its error on the image")
  func brokenPromise() throws {
    let rows = try Fixture.records([try Fixture.job("bounded", "steady")])[0]
    let wrong = rows.filter(\.errorOccurred)
    #expect(wrong.count == 1 && wrong[0].name.contains("bounded") && wrong[0].realTime == nil)
    #expect(try #require(wrong[0].maxErrorLevels) <= 250)
    #expect(try #require(wrong[0].certifiedLevels) > 250)
    #expect(
      wrong[0].errorMessage.contains("as its certificate shows: worst case over all images: 255 levels"),
      "\(wrong)")
    #expect(wrong[0].errorMessage.contains("promised: at most 250 levels"))
    #expect(rows.filter { $0.name.contains("steady") }.allSatisfy { $0.isMeasured })
  }

  @Test("An output that changes during timing gives an error row without a time")
  func changed() throws {
    let rows = try Fixture.records([try Fixture.job("drifting", "steady")])[0]
    let wrong = rows.filter(\.errorOccurred)
    #expect(wrong.count == 1 && wrong[0].name.contains("drifting"))
    #expect(wrong[0].realTime == nil && wrong[0].repetition == nil)
    #expect(wrong[0].errorMessage.contains("changed while the case was timed"))
    #expect(rows.filter { $0.name.contains("steady") }.allSatisfy { $0.isMeasured })
  }

  @Test("With several threads, some of the timed outputs are checked, and the message names a useful command")
  func racing() throws {
    var options = Fixture.options
    options.kernelOptions = ["--plugin", "./mine.so"]
    let wrong = try Fixture.records([try Fixture.job("racing", "steady", threads: 2)], options: options)[0]
      .filter(\.errorOccurred)
    #expect(wrong.count == 1 && wrong[0].name.contains("racing"))
    let command = "`blurbench verify --plugin ./mine.so --kernel racing --property threads`"
    #expect(wrong.first?.errorMessage.contains(command) == true, "\(wrong)")
  }

  @Test("A kernel that keeps more threads busy than it was given gets an error row")
  func busyThreads() throws {
    let machine = FakeMachine()
    machine.busy = 2
    var options = Fixture.options
    options.countsThreads = true
    let one = try Fixture.records([try Fixture.job("steady")], machine, options: options)[0]
    #expect(
      one.filter { $0.name.contains("steady") }.map(\.errorMessage).first?.contains("uses 2 threads") == true)
    let two = try Fixture.records([try Fixture.job("steady", threads: 2)], machine, options: options)[0]
    #expect(two.allSatisfy { $0.isMeasured })
  }

  @Test("A result that depends on the number of threads gives an error row")
  func threads() throws {
    let rows = try Fixture.records([
      try Fixture.job("seamed", "steady"), try Fixture.job("seamed", "steady", threads: 2),
    ])
    #expect(!rows[0].contains { $0.errorOccurred })
    let wrong = rows[1].filter(\.errorOccurred)
    #expect(wrong.map(\.name) == [try Fixture.job("seamed", threads: 2).cases[0].name])
    #expect(wrong[0].errorMessage.contains("2 threads") && wrong[0].errorMessage.contains("1 thread;"))
  }

  @Test("A kernel that breaks its promise gets an error row and is never timed")
  func broken() throws {
    let machine = FakeMachine()
    let rows = try Fixture.records([try Fixture.job("lying", "steady")], machine)[0]
    #expect(rows.filter { $0.name.contains("lying") }.map(\.errorOccurred) == [true])
    #expect(!machine.timed.contains { $0.contains("lying") })
  }

  @Test("A case that the kernel refuses gets a skipped row with the reason, and is no error")
  func refused() throws {
    let rows = try Fixture.records([try Fixture.job("refusing", "steady")])[0]
    let refused = rows.filter { $0.name.contains("refusing") }
    #expect(refused.count == 1)
    #expect(refused[0].isSkipped && !refused[0].errorOccurred && refused[0].realTime == nil)
    #expect(refused[0].errorMessage.contains("in tests"))
  }

  @Test("A workload that all kernels refuse is not timed")
  func nothingToTime() throws {
    let machine = FakeMachine()
    let rows = try Fixture.records([try Fixture.job("refusing")], machine)
    #expect(rows.map(\.count) == [1] && machine.timed.isEmpty)
  }

  @Test("A kernel whose blur takes too long is skipped, and the reason names the limit")
  func tooLong() throws {
    let machine = FakeMachine()
    machine.tick = 4
    let rows = try Fixture.records([try Fixture.job("steady")], machine)[0]
    #expect(rows.count == 1 && rows[0].isSkipped)
    #expect(rows[0].errorMessage.contains("--max-case-seconds allows only 3"))
    #expect(machine.timed.isEmpty)
  }

  @Test("Finished cases, including memcpy, are not measured again")
  func resumed() throws {
    let machine = FakeMachine()
    let jobs = [try Fixture.job("steady", "seamed"), try Fixture.job("steady", sigma: 5)]
    let first = Set(try Fixture.records([jobs[0]])[0].map(\.name))
    let partly = first.subtracting([jobs[0].cases[1].name])
    let rest = try Fixture.records(jobs, machine, done: first)
    #expect(rest.joined().allSatisfy { $0.name.contains("sigma=5") } && rest.map(\.count) == [6])
    let missing = try Fixture.records(jobs, FakeMachine(), done: partly)[0]
    #expect(Set(missing.map(\.name)) == [jobs[0].cases[1].name])
    #expect(missing.allSatisfy { $0.memcpyRatio != nil })
  }

  @Test("An error of the clock reaches the caller, after earlier workloads were handed over")
  func failures() throws {
    let machine = FakeMachine()
    var handed = 0
    let jobs = [try Fixture.job("steady"), try Fixture.job("steady", sigma: 5)]
    #expect(throws: MeasurementError.failed("no clock")) {
      try Runner(machine.sampler, Fixture.options, kernels: Fixture.kernels).run(jobs) { (_) in
        handed += 1
        machine.onBegin = { _ throws(MeasurementError) in throw .failed("no clock") }
      }
    }
    #expect(handed == 1)
  }

  @Test("Progress counts workloads and estimates the time left")
  func progress() {
    let line = RunProgress(index: 2, count: 5, title: "x", elapsed: 50).line
    #expect(line == "[3/5] x  time left 1:15")
    #expect(RunProgress(index: 0, count: 5, title: "x", elapsed: 0).line == "[1/5] x")
  }

  @Test("The memcpy copies every pixel and no padding, on any number of threads", arguments: [1, 2, 3, 16])
  func copies(threads: Int) throws {
    let job = try Fixture.job("steady", threads: threads)
    let shared = try WorkloadPicture(job.workload.picture, threads: threads, seed: 1)
    let copy = try shared.copies.copy(job.workload, threads: threads)
    copy.iterate()
    // If the memcpy wrote into the padding between rows, it would change guard bytes there, and `violation`
    // would be set.
    #expect(copy.verified?.outputHash == shared.inputHash && copy.violation == nil)
    #expect(copy.item == .copying(job.workload))
  }

  @Test("Samples of rows are sorted and inside the image, and include its ends and the seams")
  func rowSamples() throws {
    let small = try Size(width: 64, height: 64).layout(.gray8)
    #expect(Judge.rows(for: small, sigma: 5, threads: 2, seed: 1) == nil)
    let large = try Size(width: 1920, height: 1080).layout(.rgba8)
    let rows = try #require(Judge.rows(for: large, sigma: 5, threads: 3, seed: 1))
    #expect(rows == rows.sorted() && Set(rows).count == rows.count)
    #expect(Set(rows).isSuperset(of: [0, 1, 359, 360, 719, 720, 1078, 1079]))
    #expect(rows.count > 25 && rows.count < 60)
    #expect(rows == Judge.rows(for: large, sigma: 5, threads: 3, seed: 1))
    #expect(rows != Judge.rows(for: large, sigma: 5, threads: 3, seed: 2))
  }
}
