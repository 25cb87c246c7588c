import Foundation
import TestSupport
import Testing

@testable import BlurComparison

@Suite("Steps in a series of times")
struct ChangePointTests {
  /// Returns the energy divergence, written exactly as in equation 7 of the paper by Matteson and James
  /// (2014).
  private func divergence(_ before: ArraySlice<Double>, _ after: ArraySlice<Double>) -> Double {
    func mean(_ pairs: [Double]) -> Double { pairs.reduce(0, +) / Double(pairs.count) }
    func within(_ part: ArraySlice<Double>) -> Double {
      mean(part.indices.flatMap { i in part[..<i].map { abs($0 - part[i]) } })
    }
    let across = mean(before.flatMap { value in after.map { abs($0 - value) } })
    let n = Double(before.count)
    let m = Double(after.count)
    return n * m / (n + m) * (2 * across - within(before) - within(after))
  }

  @Test("The chosen split has the largest divergence of all by the paper's formula", arguments: [6, 9, 17])
  func formula(_ count: Int) {
    var noise = Noise(.heavy, seed: count)
    let values = noise.values(count)
    var clearest = (index: 0, divergence: -Double.infinity)
    for index in 3...count - 3 {
      for end in index + 3...count {
        let found = divergence(values[..<index], values[index..<end])
        if found > clearest.divergence { clearest = (index, found) }
      }
    }
    var energy = EnergySplit(values)
    let best = energy.best(Array(0..<count))
    #expect(best.index == clearest.index)
    #expect(abs(best.divergence / clearest.divergence - 1) < 1e-9)
  }

  @Test("Eight values are enough to show a step, and seven are not")
  func smallest() throws {
    let low = [0, 0.01, 0.02, 0.03]
    let high = [1, 1.01, 1.02, 1.03]
    let steps = ChangePoint.steps(in: low + high)
    // In 2·4!·4! of the 8! possible orders, the four low values come first or last. So the p-value is 2/70.
    let step = try #require(steps.first)
    #expect(steps.count == 1 && step.index == 4)
    #expect(abs(step.p - 2 / 70) < 1e-12)
    #expect(abs(step.shift - 1) < 1e-12)
    #expect(ChangePoint.steps(in: low + high.dropLast()).isEmpty)
    #expect(ChangePoint.steps(in: low.dropLast() + [0.5] + high, significance: 0.02).isEmpty)
    #expect(ChangePoint.steps(in: []).isEmpty)
    #expect(ChangePoint.steps(in: low + high + [.nan]).isEmpty)
    #expect(ChangePoint.steps(in: Array(repeating: 2, count: 30)).isEmpty)
  }

  @Test(
    "Pure noise shows a step no more often than the significance allows",
    arguments: [9, 12, 30], Noise.Shape.allCases)
  func noise(_ count: Int, _ shape: Noise.Shape) {
    let runs = 500
    let alarms = (0..<runs).count { seed in
      var noise = Noise(shape, seed: seed)
      return !ChangePoint.steps(in: noise.values(count)).isEmpty
    }
    // The significance is 5 %, and three standard errors of 500 runs are 3 %.
    #expect(Double(alarms) / Double(runs) <= 0.05 + 0.03)
  }

  @Test("A single outlier is not a step, wherever it is", arguments: [10, 21])
  func outlier(_ count: Int) {
    var alarms = 0
    for seed in 0..<20 {
      for place in 0..<count {
        var noise = Noise(seed: 100 * count + seed)
        var values = noise.values(count)
        values[place] = 50
        if !ChangePoint.steps(in: values).isEmpty { alarms += 1 }
      }
    }
    #expect(Double(alarms) / Double(20 * count) <= 0.08)
  }

  @Test(
    "A step of three standard deviations is found at its place, in a longer series also despite an outlier",
    .tags(.long), .slow, arguments: [(12, 6, 0.0), (20, 14, 0), (40, 10, 0), (40, 10, 20)])
  func planted(_ count: Int, _ place: Int, _ outlier: Double) {
    let runs = 200
    var found = 0
    var shifts: [Double] = []
    for seed in 0..<runs {
      var noise = Noise(seed: 1000 + seed)
      var values = noise.values(count)
      values[1] += outlier
      for index in place..<count { values[index] += 3 }
      let steps = ChangePoint.steps(in: values)
      if let step = steps.first(where: { abs($0.index - place) <= 1 }) {
        found += 1
        shifts.append(step.shift)
      }
    }
    #expect(Double(found) / Double(runs) > 0.8)
    let mean: Double = shifts.reduce(0, +) / Double(shifts.count)
    #expect(abs(mean - 3) < 0.35)
  }

  @Test("A rise and a later fall are two steps")
  func two() {
    var both = 0
    var others = 0
    for seed in 0..<100 {
      var noise = Noise(seed: seed)
      let values = noise.values(30).enumerated().map { $1 * 0.1 + ((12..<20).contains($0) ? 1 : 0) }
      let steps = ChangePoint.steps(in: values)
      #expect(steps.allSatisfy { $0.p <= 0.05 })
      if let up = steps.first(where: { $0.index == 12 }), let down = steps.first(where: { $0.index == 20 }),
        abs(up.shift - 1) < 0.2, abs(down.shift + 1) < 0.2
      {
        both += 1
      }
      others += steps.count { $0.index != 12 && $0.index != 20 }
    }
    #expect(both >= 80)
    // The two steps divide the values into three stretches of pure noise. In each stretch, the test may
    // report a false step with a probability of up to 5 %, so a few false steps are expected.
    #expect(others <= 25)
  }
}
