import Blur
import BlurWisdom
import Foundation
import Synchronization
import Testing

@testable import BlurMeasurement
@testable import BlurRecords

@Suite("Tuning")
struct TuningTests {
  /// A simulated clock for successive halving. It records for how long each candidate was sampled.
  final class Clock {
    let times: [Double]
    private(set) var spent: [Double]
    init(_ times: [Double]) {
      self.times = times
      spent = times.map { _ in 0 }
    }

    func halving(_ bounds: [Double], most: Double = .infinity) -> SuccessiveHalving {
      SuccessiveHalving(bounds: bounds) { [self] candidate, iterations in
        spent[candidate] += Double(iterations) * times[candidate] / 1e9
        return TuningSample(time: times[candidate], isQuiet: true)
      } goesOn: { [self] in
        spent.reduce(0, +) < most
      }
    }
  }

  @Test("Most time is spent on the candidates that may be the fastest")
  func halving() throws {
    let clock = Clock((0..<16).map { 1000 * pow(1.5, Double($0)) })
    let times = try clock.halving(Array(repeating: 1, count: 16)).times().map(\.nanoseconds)
    #expect(times == clock.times)
    #expect(clock.spent[0] > 10 * clock.spent[15] && clock.spent[1] > 10 * clock.spent[15])
    // Successive halving measures all candidates a few times, drops the slower half, and doubles the number
    // of samples. The two candidates that stay to the end are sampled 3 + 6 + 12 + 24 + 48 times for half a
    // millisecond, after a single blur.
    #expect(abs(clock.spent[0] - (93 * SuccessiveHalving.sampleTime / 1e9 + 1e-6)) < 1e-4)
    #expect(clock.spent[4...].reduce(0, +) < 2 * clock.spent[0])
  }

  @Test("Samples on noisy cores count only if there are no others")
  func noisy() throws {
    var time = ShortestTime(TuningSample(time: 90, isQuiet: false))
    time.take(TuningSample(time: 150, isQuiet: false))
    #expect(time.nanoseconds == 90 && !time.isQuiet)
    // A quiet sample (one that no other program disturbed) replaces a noisy sample, even if the quiet one
    // took longer.
    time.take(TuningSample(time: 100, isQuiet: true))
    #expect(time.nanoseconds == 100 && time.isQuiet)
    time.take(TuningSample(time: 80, isQuiet: false))
    time.take(TuningSample(time: 98, isQuiet: true))
    #expect(time.nanoseconds == 98 && time.isQuiet)
  }

  @Test("The probe compares with its shortest time, and waits for quiet cores only as long as allowed")
  func probe() {
    // The probe times a fixed loop. Here, other programs seem to slow this loop down, to 2 and 1.3 times its
    // shortest time of 100 ns. Later samples are slower again.
    let times = Mutex<[Double]>([200, 130, 100, 129, 131, 250, 250, 250])
    let probe = CoreProbe(limit: 1.3) { times.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] } }
    #expect(probe.least(threads: 1) == .infinity)
    #expect(probe.slowdown(threads: 1) == 1 && probe.least(threads: 1) == 200)
    #expect(probe.slowdown(threads: 1) == 1 && probe.least(threads: 1) == 130)
    #expect(probe.slowdown(threads: 1) == 1 && probe.least(threads: 1) == 100)
    // The next run of the loop takes 129 ns. That is below the limit of 1.3 times the shortest time, so the
    // cores count as quiet and the probe does not wait.
    var asked = 0
    let once = { () -> Bool in
      asked += 1
      return asked < 3
    }
    #expect(probe.waitForQuiet(threads: 1, while: once) == 1.29 && asked == 0)
    // The following runs of the loop take longer than the limit allows. The probe therefore waits until
    // `once` returns false, and then returns the last slowdown.
    #expect(probe.waitForQuiet(threads: 1, while: once) == 2.5 && asked == 3)
    #expect(probe.least(threads: 1) == 100)
    // The probe keeps a separate shortest time for each number of threads. With two threads, the time of the
    // slower thread counts.
    #expect(probe.least(threads: 2) == .infinity)
    #expect(probe.slowdown(threads: 2) == 1 && probe.least(threads: 2) == 250)
  }

  /// There is no upper limit, because the loop takes longer on a busy machine.
  @Test("The probe's loop takes a measurable time, so the compiler has not removed its work")
  func loop() throws {
    let times = (0..<200).map { _ in CoreProbe.arithmetic() }
    #expect(try #require(times.min()) > 100)
  }

  @Test("The fastest kernels within each bound are kept, even if looser kernels are much faster")
  func bounds() {
    let halving = Clock([1, 2, 3, 4, 100, 200, 300]).halving([9, 9, 9, 9, 1, 1, 1])
    #expect(halving.kept(of: Array(0..<7), [1, 2, 3, 4, 100, 200, 300]) == [0, 1, 2, 4, 5])
    #expect(halving.kept(of: [0, 1, 4, 5], [1, 2, 3, 4, 100, 200, 300]) == [0, 1, 4, 5])
  }

  @Test("Every candidate gets a time, even if the budget is spent at once")
  func budget() throws {
    let clock = Clock([5000, 7000, 9000])
    let times = try clock.halving([1, 1, 1], most: 0).times().map(\.nanoseconds)
    #expect(times == [5000, 7000, 9000])
    let spent: Double = clock.spent.reduce(0, +)
    #expect(abs(spent - 21e-6) < 1e-9)
  }

  @Test("A tuned workload has a time and a promise for every candidate")
  func measured() throws {
    let workload = Workload(
      threads: 1, layout: try ImageLayout(.gray16, width: 40, height: 30), sigma: 3, edge: .wrap)
    let found = try Tuner(measuresAll: true).measured(workload, seconds: 0.05)
    #expect(found.measured == (try workload.problem) && found.edge == "wrap")
    let names = Set(found.times.map(\.kernel))
    let promising = Registry.kernels.filter { $0.promise.bound(for: .gray16) != nil }.map(\.name)
    #expect(names == Set(promising).subtracting(["naive"]))
    for time in found.times {
      #expect(time.ns > 0)
      #expect(try time.within == Registry.kernel(named: time.kernel).promise.bound(for: .gray16))
    }
    #expect(found.times.map(\.ns) == found.times.map(\.ns).sorted())
  }

  @Test("A budget of zero measures nothing, and workloads are handed over one by one")
  func tuner() throws {
    let workloads = try [1.0, 5, 9].map {
      Workload(threads: 1, layout: try ImageLayout(.gray8, width: 16, height: 16), sigma: $0, edge: .clamp)
    }
    var found: [Wisdom.Problem] = []
    // With an infinite limit, no sample counts as noisy. Otherwise the tuner would measure a workload again
    // whenever other tests disturbed it.
    let tuner = Tuner(probe: CoreProbe(limit: .infinity))
    #expect(try tuner.tune(workloads, budget: 0, progress: { _ in }, found: { found.append($0) }) == 0)
    #expect(found.isEmpty)
    #expect(try tuner.tune(workloads, budget: 60, progress: { _ in }, found: { found.append($0) }) == 3)
    #expect(found.map(\.sigmaX) == [1, 5, 9])
  }
}
