import Blur
import BlurMeasurement
import BlurRecords
import CLinux
import Dispatch
import Synchronization
import TestSupport
import Testing

@testable import BlurScenes

@Suite("Measuring scenes")
struct SceneRunnerTests {
  private let device = Device(name: "tiny", width: 60, height: 96, scale: 1)

  private func records(
    _ scene: String, _ kernels: [Kernel], passes: Int = 1, on other: Device? = nil
  ) throws -> [Record] {
    let device = other ?? device
    let name = SceneName(scene, on: device.name)
    let workload = Workload(
      threads: 1, layout: try ImageLayout(.rgba8, width: 60, height: 20), sigma: 10, edge: .clamp, scene: name
    )
    let cases = kernels.map { Case(kernel: $0.name, isa: .baseline, workload: workload) }
    var records: [Record] = []
    let runner = SceneRunner(kernels: kernels, devices: [device], passes: passes, machineKey: "m")
    try runner.run([Job(workload: workload, cases: cases)]) { records += $0 }
    return records
  }

  @Test(
    "Each pass is a record with ordered percentiles, and an accurate kernel does not flicker"
  )
  func measures() throws {
    let found = try records("live-status-bar", [try Registry.kernel(named: "simd-fine")], passes: 2)
    let own = found.filter { !$0.name.contains("memcpy") }
    #expect(own.count == 2 && own.map(\.repetition) == [0, 1] && found.count == 4)
    for record in own {
      let frames = record.frames
      #expect(!record.errorOccurred && record.iterations == LiveStatusBar.scene.frames)
      #expect(frames.p50! <= frames.p90! && frames.p90! <= frames.p99! && frames.p99! <= frames.longest!)
      #expect(record.realTime! <= frames.longest! && frames.first! > 0)
      #expect(abs(frames.share120! - 2 * frames.share60!) < 1e-9)
      // Two roundings of the blur may differ by one level, which saturation increases to 2.5 levels. Then the
      // effect rounds again.
      #expect(try #require(record.maxErrorLevels) <= 4 && frames.flickerLevels! <= 8)
    }
  }

  @Test("A kernel whose result differs from one blur to the next is wrong")
  func drifting() throws {
    let count = Atomic(0)
    let kernel = Kernel(name: "drifting", summary: "", promise: .nothing) {
      (_) throws(BlurError) in
      Plain { UInt8(truncatingIfNeeded: count.add(1, ordering: .relaxed).newValue) }
    }
    let found = try records("static-against-live", [kernel])
    let own = try #require(found.first { $0.name.contains("drifting") })
    #expect(own.errorOccurred && own.errorMessage.contains("different pixels when it was"))
  }

  @Test("Flicker is a change that the exact blur does not make, whatever the error is")
  func flicker() throws {
    let steady = Kernel(name: "steady", summary: "", promise: .nothing) {
      (_) throws(BlurError) in Plain { 7 }
    }
    let found = try records("live-status-bar", [steady, try Registry.kernel(named: "simd")])
    let plain = try #require(found.first { $0.name.contains("steady") })
    let good = try #require(found.first { $0.name.contains("simd") })
    // The kernel `steady` gives a bar of constant colour. The content below the bar scrolls, so the bar
    // should change from frame to frame. That it does not change counts as flicker.
    #expect(plain.frames.flickerLevels! > 3 * good.frames.flickerLevels! + 3)
    #expect(plain.maxErrorLevels! > 20)
  }

  #if os(Linux)
    @Test("Frames that allocate memory are detected")
    func allocating() throws {
      let kernel = Kernel(name: "hungry", summary: "", promise: .nothing) {
        (_) throws(BlurError) in
        Plain {
          let memory = UnsafeMutableRawPointer.allocate(byteCount: 1000, alignment: 1)
          defer { memory.deallocate() }
          memory.storeBytes(of: 3, as: UInt8.self)
          return memory.load(as: UInt8.self)
        }
      }
      let found = try records("live-status-bar", [kernel])
      let own = try #require(found.first { $0.name.contains("hungry") })
      #expect(try #require(own.frames.allocatedBytes) >= 1000 * 100)
    }

    @Test("Allocations of two threads at the same time are counted separately")
    func countsApart() {
      let (begun, done) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
      let other = Atomic(0)
      DispatchQueue(label: "other count").async {
        begun.wait()
        allocations_begin(false)
        UnsafeMutableRawPointer.allocate(byteCount: 1000, alignment: 1).deallocate()
        other.store(allocations_end(), ordering: .relaxed)
        done.signal()
      }
      allocations_begin(false)
      begun.signal()
      done.wait()
      let own = allocations_end()
      // With a sanitizer, which replaces the allocator, allocations cannot be counted and both counts are -1.
      #expect(own < 0 || (own == 0 && other.load(ordering: .relaxed) == 1000))
    }
  #endif

  @Test("Frames allocate no memory, and the backdrop of each scene is measured", arguments: SceneTests.names)
  func allocations(scene: String) throws {
    let device = Device(name: "small", width: 192, height: 256, scale: 0.5)
    let kernel = try Registry.kernel(named: "pyramid")
    let found = try records(scene, [kernel], on: device)
    let own = try #require(found.first { $0.name.contains("pyramid") })
    #expect(!own.errorOccurred && !own.isSkipped, "\(own.errorMessage)")
    let (shown, truth) = (try #require(own.frames.jumpLevels), try #require(own.frames.truthJumpLevels))
    #expect(abs(shown - truth) <= 8, "\(shown) and \(truth) levels")
    #if os(Linux)
      #expect(own.frames.allocatedBytes == 0)
    #endif
  }

  @Test("Refusing kernels and unknown scenes are skipped, with the reason")
  func refusals() throws {
    let kernel = Kernel(name: "shy", summary: "", promise: .nothing) {
      (_) throws(BlurError) in throw .unsupported(kernel: "shy", reason: "everything")
    }
    let refused = try records("reveal", [kernel])
    #expect(refused.count == 1 && refused[0].isSkipped && refused[0].errorMessage.contains("everything"))
    let unknown = try records("fireworks", [kernel])
    #expect(unknown.count == 1 && unknown[0].isSkipped)
  }

  /// A plan that sets all bytes of all pixels to one value.
  private final class Plain: Plan {
    let facts = PlanFacts(phases: [Phase(units: 1)])
    private let byte: @Sendable () -> UInt8

    init(_ byte: @escaping @Sendable () -> UInt8) { self.byte = byte }

    func run(_ phase: Int, _ units: Range<Int>, _ buffers: PhaseContext) {
      let value = byte()
      let target = buffers.destination
      for y in 0..<target.layout.height {
        target.unsafeRow(y).initializeMemory(as: UInt8.self, repeating: value, count: target.layout.rowBytes)
      }
    }
  }

  @Test("Percentiles are those of the sorted times, and frames over a budget are counted")
  func percentiles() throws {
    let name = SceneName("live-status-bar", on: device.name)
    let workload = Workload(
      threads: 1, layout: try ImageLayout(.rgba8, width: 60, height: 20), sigma: 10, edge: .clamp, scene: name
    )
    var record = Record(Case(kernel: "simd", isa: .baseline, workload: workload), machineKey: "m")
    record.setFrames((1...1000).reversed().map { Double($0) * 20_000 }, pass: 0)
    let figures = record.frames
    for (found, share) in [(figures.p50, 0.5), (figures.p90, 0.9), (figures.p99, 0.99)] {
      #expect(found == share * 20e6)
    }
    #expect(figures.longest == 20e6 && abs(record.realTime! - 10.01e6) < 1)
    // Frame n takes n times 0.02 ms. A frame of 16.67 ms lies between frames 833 and 834, and one of 8.33 ms
    // lies between frames 416 and 417.
    #expect(figures.over60 == 1000 - 833 && figures.over120 == 1000 - 416)
  }

  @Test(
    "A case of a scene is timed on request, and compared with the exact result", .tags(.long), .slow)
  func paced() throws {
    let workload = try SceneCatalog.interface.workload(SceneName("live-status-bar", on: "phone-2x"))
    let item = Case(kernel: "dct", isa: .baseline, workload: workload)
    let paced = try BenchScene(item, try Registry.kernel(named: "dct"), isVerified: true)
    #expect(try #require(paced.findings.maxErrorLevels) <= 3 && paced.findings.problem == nil)
    #expect(try Sampler(watch: DisturbanceWatch()).sample(paced.task, iterations: 2).realTime > 0)
    #expect(paced.violation == nil)
    // A process that does not verify its results must compute the same hash as a process that does.
    let other = try BenchScene(item, try Registry.kernel(named: "dct"), isVerified: false)
    #expect(paced.findings.outputHash == other.findings.outputHash && paced.findings.outputHash != nil)
  }
}
