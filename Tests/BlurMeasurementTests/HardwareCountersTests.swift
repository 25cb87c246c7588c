import CLinux
import Foundation
import Testing

@testable import BlurMeasurement
@testable import BlurRecords

@Suite("Hardware counters")
struct HardwareCountersTests {
  /// Whether the system allows perf_event_open at all. The operating system's own events, such as page
  /// faults, need no hardware counters.
  static var hasSoftwareEvents: Bool {
    do throws(MeasurementError) { _ = try CounterGroup([PERF_COUNTER_PAGE_FAULTS]) } catch { return false }
    return true
  }

  @Test(
    "The first access to a page is counted as one page fault, and later ones are not",
    .enabled(if: hasSoftwareEvents, "the system forbids perf_event_open"))
  func pageFaults() throws {
    let group = try CounterGroup([PERF_COUNTER_PAGE_FAULTS, PERF_COUNTER_PAGE_FAULTS])
    let pageSize = sysconf(Int32(_SC_PAGESIZE))
    for pages in [300, 700] {
      let memory = try #require(
        mmap(nil, pages * pageSize, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))
      try #require(memory != MAP_FAILED)
      defer { munmap(memory, pages * pageSize) }
      madvise(memory, pages * pageSize, Int32(MADV_NOHUGEPAGE))
      let touch = {
        // SAFETY: the mapping has `pages` pages and exists until the end of the loop body, so each offset is
        // inside it.
        for page in 0..<pages { memory.storeBytes(of: 1, toByteOffset: page * pageSize, as: UInt8.self) }
      }
      let (first, second) = (group.count(touch), group.count(touch))
      for count in try #require(first) { #expect((pages...pages + 20).contains(Int(count))) }
      for count in try #require(second) { #expect(count <= 20) }
    }
  }

  @Test("Counters grow with the work, or the error says why there are none")
  func counters() throws {
    var value: UInt64 = 1
    var instructions: [UInt64?] = []
    do throws(MeasurementError) {
      let counters = try CounterGroup([PERF_COUNTER_INSTRUCTIONS])
      instructions = [1_000_000, 3_000_000].map { rounds in
        counters.count { for _ in 0..<rounds { value = spin(value) } }?[0]
      }
    } catch {
      #expect(error.description.hasPrefix("no hardware counters: "))
      return
    }
    let counts = try instructions.map { Double(try #require($0)) }
    #expect((2.9...3.1).contains(counts[1] / counts[0]))
    #expect(value != 1)
  }

  @Test("The reason for missing counters says what to do, if anything can be done")
  func reasons() {
    #expect(CounterGroup.reason(EACCES, paranoia: 4).hasSuffix("sysctl kernel.perf_event_paranoid=2"))
    #expect(CounterGroup.reason(EPERM, paranoia: 2).contains("containers (operation not permitted)"))
    #expect(CounterGroup.reason(ENOENT, paranoia: 2).contains("virtual machines (no such file"))
    #expect(CounterGroup.reason(ENOSYS, paranoia: nil).contains("system call perf_event_open"))
  }

  @inline(never)
  private func spin(_ value: UInt64) -> UInt64 { value &* 6_364_136_223_846_793_005 &+ 1 }
}
