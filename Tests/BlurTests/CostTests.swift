import Foundation
import TestSupport
import Testing

@testable import Blur

@Suite("Costs of kernels, from which their times are estimated")
struct CostTests {
  @Test("The sliding DCT predicts which sigmas need seven cosines", arguments: [0.0, 0.003, 0.007])
  func bands(offset: Double) throws {
    for format in [PixelFormat.gray8, .gray16, .grayf32] {
      for accuracy in Accuracy.allCases {
        for step in 20..<320 {
          let sigma = Double(step) / 100 + offset
          // Two kinds of sigmas are skipped: those for which no window is accurate enough, and those within
          // 0.01 pixels of a sigma at which the number of cosines changes. The cost function knows these
          // sigmas only to 0.01 pixels.
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

  private static func problem(
    _ format: PixelFormat, _ width: Int, _ height: Int, _ sigma: Double, _ edge: EdgeMode = .clamp,
    _ set: InstructionSet = .baseline
  ) throws -> BlurProblem {
    BlurProblem(
      try ImageLayout(format, width: width, height: height), sigma: try Sigma(sigma), edge: edge,
      instructionSet: set)
  }

  @Test("A strip of rows costs the same whether it has one row or is full")
  func strips() throws {
    let kernel = try Registry.kernel(named: "dct")
    func cost(_ height: Int) throws -> Cost { kernel.cost(try Self.problem(.grayf32, 100, height, 4)) }
    #expect(try cost(33) == cost(40))
    #expect(try cost(41).vectors > cost(40).vectors)
  }

  @Test("A window costs as much as the pixels that it reads, after folding by the edge mode")
  func windows() throws {
    let kernel = try Registry.kernel(named: "simd")
    func vectors(_ sigma: Double, _ edge: EdgeMode, _ side: Int = 40) throws -> Double {
      kernel.cost(try Self.problem(.gray8, side, side, sigma, edge)).vectors
    }
    #expect(try vectors(2, .clamp) < vectors(4, .clamp))
    #expect(try vectors(100, .clamp) == vectors(1000, .clamp))
    #expect(try vectors(1000, .wrap) < vectors(1000, .clamp))
    #expect(try vectors(1000, .wrap, 2000) > 40 * vectors(1, .wrap, 2000))
  }

  @Test(
    "`pyramid` costs no more than each of the algorithms that it can use", arguments: PixelFormat.allCases,
    Accuracy.allCases)
  func pyramid(format: PixelFormat, accuracy: Accuracy) throws {
    for (width, height) in [(1, 1), (25, 40), (90, 31), (400, 300)] {
      for edge in [EdgeMode.clamp, .mirror, .wrap] {
        for sigma in [0.5, 3, 8, 40, 300] {
          let problem = try Self.problem(format, width, height, sigma, edge)
          func time(_ kernel: some BlurKernel) -> Double {
            CostConstants.of(.baseline).work(kernel.cost(problem))
          }
          let least = min(time(SIMDSeparable(accuracy)), time(SlidingDCT(accuracy)))
          #expect(time(Pyramid(accuracy)) <= least, "\(width)x\(height), \(edge.name), sigma \(sigma)")
        }
      }
    }
  }

  /// `pyramid` once took a hundred times as long as `simd` for rgba8 with 19x19 pixels, edge mode mirror and
  /// sigma 200. A single pixel took 174 ms.
  @Test("An image of a few pixels costs no more than its pixels and one period of the edge mode")
  func cliffs() throws {
    let kernel = try Registry.kernel(named: "pyramid")
    for side in [1, 2, 3, 7, 19] {
      for edge in EdgeMode.allCases {
        let parameters = BlurParameters(sigma: try Sigma(1000), edge: edge)
        let layout = try ImageLayout(.rgba8, width: side, height: side)
        let time = kernel.estimate(layout, parameters, .best, threads: 1)
        #expect(time < 20_000 + 100 * Double(side * side), "\(side)x\(side), \(edge.name): \(time) ns")
        let plan = try BlurPlan(kernel, for: layout, parameters)
        #expect(plan.scratchBytes < 100_000, "\(side)x\(side), \(edge.name): \(plan.scratchBytes) bytes")
      }
    }
  }

  @Test(
    "On small images, `pyramid` costs at most 1.3 times the best kernel with the same bound",
    arguments: PixelFormat.allCases)
  func smallImages(format: PixelFormat) throws {
    let pyramid = try Registry.kernel(named: "pyramid")
    // Kernels with a stricter promise are not compared, because they are chosen only for a stricter bound.
    let kernels = Registry.kernels.filter { !$0.isDefinition && $0.promise == pyramid.promise }
    #expect(kernels.contains { $0.name == "simd" } && kernels.contains { $0.name == "dct" })
    for (width, height) in [(1, 1), (2, 5), (7, 7), (19, 19), (33, 17), (17, 64)] {
      let layout = try ImageLayout(format, width: width, height: height)
      for edge in EdgeMode.allCases {
        for sigma in [0.7, 5, 40, 200, 1000] {
          let parameters = BlurParameters(sigma: try Sigma(sigma), edge: edge)
          func time(_ kernel: Kernel) -> Double {
            kernel.availableSets(upTo: .best)
              .map { kernel.estimate(layout, parameters, $0, threads: 1) }.min() ?? .infinity
          }
          let best = try #require(kernels.map { (time: time($0), name: $0.name) }.min { $0.time < $1.time })
          #expect(
            time(pyramid) <= 1.3 * best.time,
            "\(width)x\(height), \(edge.name), sigma \(sigma): \(time(pyramid) / best.time) of \(best.name)")
        }
      }
    }
  }

  @Test("Costs are finite and positive for any size, sigma and format, and grow with the size")
  func extremes() throws {
    for kernel in Registry.kernels where !kernel.isDefinition && kernel.promise.bound(for: .gray8) != nil {
      for format in PixelFormat.allCases {
        for sigma in [0, 1e-300, 0.5, 2.11, 7, 1000] {
          for set in kernel.instructionSets {
            let times = try [1, 20, 500, 20_000].map { side in
              CostConstants.of(set).time(
                kernel.cost(try Self.problem(format, side, side, sigma, .clamp, set)), threads: 1)
            }
            let isCounted = times[0].isFinite
            #expect(isCounted || kernel.name == "dual-kawase", "\(kernel.name)")
            #expect(
              times.allSatisfy { $0 > 0 && $0.isFinite == isCounted }, "\(kernel.name) \(format) \(sigma)")
            #expect(times == times.sorted(), "\(kernel.name) \(format) \(sigma)")
          }
        }
      }
    }
  }

  @Test("A cost has the same number of phases as the plan")
  func phases() throws {
    for kernel in Registry.kernels where !kernel.isDefinition {
      for (side, sigma) in [(40, 3.0), (300, 0.8), (300, 12), (40, 200)] {
        let problem = try Self.problem(.grayf32, side, side, sigma, .clamp)
        let cost = kernel.cost(problem)
        guard cost.pieces > 1, let plan = try? kernel.plan(problem) else { continue }
        #expect(cost.phases == plan.facts.phases.count, "\(kernel.name) \(side), sigma \(sigma)")
      }
    }
  }

  @Test("A plan has the cost that its kernel counts", arguments: Registry.kernels.map(\.name))
  func plans(name: String) throws {
    let kernel = try Registry.kernel(named: name)
    for (format, side, sigma) in [(PixelFormat.gray8, 40, 0.0), (.rgb16, 40, 3), (.rgbaf32, 300, 12)] {
      for edge in [EdgeMode.clamp, .mirror] {
        let problem = try Self.problem(format, side, side, sigma, edge)
        guard let plan = try? kernel.plan(problem) else { continue }
        #expect(plan.facts.cost == kernel.cost(problem), "\(format) \(side), sigma \(sigma), \(edge.name)")
      }
    }
  }

  @Test(
    "A region costs at least its share of the whole image, and no more than the whole image",
    arguments: ["pyramid", "simd", "dct", "separable"], [0.0, 2, 20, 1000])
  func regions(name: String, sigma: Double) throws {
    let kernel = try Registry.kernel(named: name)
    let layout = try ImageLayout(.rgba8, width: 300, height: 1000)
    func time(_ region: Region?) throws -> Double {
      let parameters = BlurParameters(sigma: try Sigma(sigma), region: region)
      return kernel.estimate(layout, parameters, .baseline, threads: 1)
    }
    let whole = try time(nil)
    #expect(try time(layout.bounds) == whole)
    // The region is one whole row in the middle of the image. Blurring it needs the rows within three sigma
    // of it.
    let row = try time(Region(x: 0, y: 500, width: 300, height: 1))
    #expect(row >= whole * min(1, (6 * sigma + 1) / 1000) && row <= whole)
    let border = try time(Region(x: 0, y: 0, width: 300, height: 1))
    #expect(border <= row && (border < row) == (0.1..<500).contains(sigma))
    #expect(try time(Region(x: 150, y: 500, width: 1, height: 1)) <= row)
  }

  @Test("README shows the current estimate", .enabled(if: InstructionSet.avx512.isAvailable))
  func readme() throws {
    let layout = try ImageLayout(.rgba8, width: 640, height: 480)
    let choice = try Chooser().choices(
      for: layout, BlurParameters(sigma: Sigma(12)), within: .levels(1), threads: 2)[0]
    let page = try String(contentsOf: Program.package.appending(path: "README.md"), encoding: .utf8)
    #expect(page.contains("// \(choice)\n"), "\(choice)")
  }

  @Test("The estimate divides work among threads only if this saves more time than it costs")
  func threads() {
    let constants = CostConstants(vector: 1, partial: 0, scalar: 0, row: 0, start: 100)
    var cost = Cost(vectors: 1e6)
    #expect(constants.time(cost, threads: 4) == 1e6 + 100)
    cost.pieces = 2
    #expect(constants.time(cost, threads: 1) == 1e6 + 100)
    #expect(constants.time(cost, threads: 4) == 0.5e6 + CostConstants.handing + 100)
    cost.vectors = 1000
    #expect(constants.time(cost, threads: 4) == 1000 + 100)
    (cost.vectors, cost.phases) = (10_000, 1)
    #expect(constants.time(cost, threads: 4) < 10_000)
    cost.phases = 3
    #expect(constants.time(cost, threads: 4) == 10_000 + 100)
  }
}
