import Foundation
import Testing

@testable import Blur

@Suite("Efforts of kernels, by which times are predicted")
struct EffortTests {
  @Test("Sliding cosines know beforehand which sigmas need seven of them", arguments: [0.0, 0.003, 0.007])
  func bands(offset: Double) throws {
    for format in [PixelFormat.gray8, .gray16, .grayf32] {
      for accuracy in Accuracy.allCases {
        for step in 20..<320 {
          let sigma = Double(step) / 100 + offset
          // Some windows do not fit at all; bands are known to a hundredth of a pixel.
          guard
            let axis = try? SlidingAxis(sigma: sigma, share: accuracy.share(for: format), format),
            let before = try? SlidingAxis(
              sigma: sigma - 0.01, share: accuracy.share(for: format), format),
            let after = try? SlidingAxis(sigma: sigma + 0.01, share: accuracy.share(for: format), format),
            before.cosines == axis.cosines, after.cosines == axis.cosines
          else { continue }
          #expect(
            SlidingAxis.isWide(sigma, accuracy, format) == (axis.cosines == 7),
            "\(format), \(accuracy), sigma \(sigma): \(axis.cosines)")
        }
      }
    }
  }

  @Test(
    "A time that follows the effort exactly is predicted exactly, at any size", arguments: [1.2, 1.33, 5])
  func prediction(sigma: Double) throws {
    let kernel = try Registry.kernel(named: "dct")
    let isa = kernel.instructionSet(upTo: .best)
    func effort(_ width: Int, _ height: Int, _ sigma: Double) -> Double {
      kernel.effort(BlurWork(format: .gray16, width: width, height: height, sigma: sigma))(isa).amount
    }
    let workloads = [12, 48, 300].flatMap { width in
      [12, 100, 700].flatMap { height in
        [0.7, 2, 9].map { sigma in
          Wisdom.Workload(
            format: .gray16, width: width, height: height, sigma: sigma,
            times: [Wisdom.Time(kernel: "dct", isa: isa.name, ns: 3 * effort(width, height, sigma))])
        }
      }
    }
    let table = TimeTable(workloads)
    for (width, height) in [(17, 33), (47, 64), (200, 65), (31, 129), (13, 699)] {
      let query = TimeTable.Query(
        format: .gray16, width: width, height: height, sigma: sigma, edge: .clamp, threads: 1)
      var predicted: Double?
      #expect(table.forEach(query) { predicted = $1 })
      let expected = 3 * effort(width, height, sigma)
      #expect(abs(try #require(predicted) / expected - 1) < 1e-9, "\(width)x\(height)")
    }
  }

  @Test(
    "Times are predicted by those of the same way alone: in gray16 `pyramid` takes three",
    arguments: [1, 7.0])
  func ways(factor: Double) throws {
    let kernel = try Registry.kernel(named: "pyramid")
    func time(_ sigma: Double, _ ways: inout Set<Int>) -> Double {
      let effort = kernel.effort(
        BlurWork(format: .gray16, width: 300, height: 200, sigma: sigma))(.baseline)
      ways.insert(effort.way)
      return effort.amount * pow(factor, Double(effort.way))
    }
    var (measured, asked): (Set<Int>, Set<Int>) = ([], [])
    let workloads = [1, 2, 3.7, 5, 9].map { sigma in
      Wisdom.Workload(
        format: .gray16, width: 300, height: 200, sigma: sigma,
        times: [Wisdom.Time(kernel: "pyramid", isa: "baseline", ns: time(sigma, &measured))])
    }
    for sigma in [1.5, 3, 3.6, 4.1, 4.2, 5, 7] {
      let query = TimeTable.Query(
        format: .gray16, width: 300, height: 200, sigma: sigma, edge: .clamp, threads: 1)
      var predicted = 0.0
      #expect(TimeTable(workloads).forEach(query) { predicted = $1 })
      #expect(abs(predicted / time(sigma, &asked) - 1) < 1e-9, "sigma \(sigma)")
    }
    #expect(measured.count == 3 && asked == measured)
  }

  /// At height 600 `dct-fine` works in one block only where the window is huge, at 340 always: what it takes at a huge
  /// window says nothing of a small one.
  @Test("A way that a size takes at far sigmas alone does not speak for near ones")
  func farWays() throws {
    let kernel = try Registry.kernel(named: "dct-fine")
    func effort(_ width: Int, _ height: Int, _ sigma: Double) -> Effort {
      kernel.effort(BlurWork(format: .gray16, width: width, height: height, sigma: sigma))(.baseline)
    }
    let workloads = [110, 340].flatMap { width in
      [340, 600].flatMap { height in
        [2, 5, 130].map { sigma in
          let time = effort(width, height, sigma).amount * (sigma < 10 ? 4 : 0.5)
          return Wisdom.Workload(
            format: .gray16, width: width, height: height, sigma: sigma,
            times: [Wisdom.Time(kernel: kernel.name, isa: "baseline", ns: time)])
        }
      }
    }
    let wanted = effort(227, 450, 3.5)
    try #require(effort(340, 600, 5).way != wanted.way && effort(340, 600, 130).way == wanted.way)
    let query = TimeTable.Query(
      format: .gray16, width: 227, height: 450, sigma: 3.5, edge: .clamp, threads: 1)
    var predicted = 0.0
    #expect(TimeTable(workloads).forEach(query) { predicted = $1 })
    #expect(abs(predicted / (4 * wanted.amount) - 1) < 0.05, "\(predicted)")
  }

  @Test(
    "`pyramid` knows beforehand which way it will take", arguments: PixelFormat.allCases, Accuracy.allCases)
  func pyramid(format: PixelFormat, accuracy: Accuracy) throws {
    for (width, height) in [(25, 40), (90, 31), (400, 300)] {
      for step in 0..<60 {
        let sigma = 0.5 * pow(1.08, Double(step))
        let problem = BlurProblem(
          try ImageLayout(format, width: width, height: height), sigma: try Sigma(sigma))
        let plan = try Pyramid(accuracy).plan(problem)
        let way = (plan as? PyramidPlan).map { Pyramid.way(of: $0.arithmetic) }
        let likely = Pyramid(accuracy).effort(
          BlurWork(format: format, width: width, height: height, sigma: sigma))(.baseline)
        #expect(way.map { $0 == likely.way } ?? (likely.way < 2), "\(width)x\(height), sigma \(sigma)")
      }
    }
  }

  @Test("A strip of rows costs as much for one row as for all")
  func strips() throws {
    let kernel = try Registry.kernel(named: "dct")
    func effort(_ height: Int) -> Double {
      kernel.effort(BlurWork(format: .grayf32, width: 100, height: height, sigma: 4))(.baseline).amount
    }
    #expect(effort(33) == effort(40) && effort(41) > effort(40))
  }

  @Test(
    "Efforts are finite and positive for any size, sigma and format, and grow with size where the way is the same"
  )
  func extremes() {
    for kernel in Registry.kernels {
      for format in PixelFormat.allCases {
        for sigma in [0, 1e-300, 0.5, 2.11, 7, 1000] {
          for isa in kernel.instructionSets {
            let efforts = [1, 20, 500, Int.max].map { side in
              kernel.effort(BlurWork(format: format, width: side, height: side, sigma: sigma))(isa)
            }
            #expect(
              efforts.allSatisfy { $0.amount > 0 && $0.amount.isFinite }, "\(kernel.name) \(format) \(sigma)")
            for efforts in Dictionary(grouping: efforts, by: \.way).values.map({ $0.map(\.amount) }) {
              #expect(efforts == efforts.sorted(), "\(kernel.name) \(format) \(sigma)")
            }
          }
        }
      }
    }
  }
}
