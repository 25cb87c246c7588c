import Testing

@testable import BlurRecords

@Suite("Statistics")
struct StatisticsTests {
  @Test("Medians of small examples are right")
  func medians() {
    #expect(Statistics.median([]) == nil)
    #expect(Statistics.median([7]) == 7)
    #expect(Statistics.median([9, 1, 5]) == 5)
    #expect(Statistics.median([4, 1, 3, 10]) == 3.5)
  }

  @Test("Quantiles of small examples are right, and equal those of NumPy's default")
  func quantiles() {
    let values = [15.0, 20, 35, 40, 50]
    #expect(Statistics.quantile(0, of: values) == 15)
    #expect(Statistics.quantile(1, of: values) == 50)
    #expect(Statistics.quantile(0.25, of: values) == 20)
    #expect(abs(Statistics.quantile(0.4, of: values)! - 29) < 1e-12)
    #expect(abs(Statistics.quantile(0.05, of: values)! - 16) < 1e-12)
    #expect(Statistics.quantile(1.5, of: values) == nil)
    #expect(Statistics.interquartileRange(values) == 20)
  }

  @Test(
    "The interval of a median leaves out as many values at each end as the sign test allows",
    arguments: 1...60)
  func intervals(count: Int) throws {
    let estimate = try #require(Estimate((1...count).map(Double.init).shuffled()))
    let cut = Int(estimate.low) - 1
    #expect(Int(estimate.high) == count - cut && estimate.median == Double(count + 1) / 2)
    // The probability of at most `heads` heads in `count` tosses of a coin, from Pascal's triangle.
    var row = [1.0]
    for _ in 0..<count { row = zip([0] + row, row + [0]).map { ($0 + $1) / 2 } }
    let tail = { (heads: Int) in row.prefix(heads + 1).reduce(0, +) }
    // If one more value were left out at each end, the confidence would be too low.
    #expect(cut == 0 || tail(cut) <= 0.025)
    #expect(tail(cut + 1) > 0.025)
  }

  @Test("The interval of very many values follows the normal distribution")
  func manyValues() throws {
    let estimate = try #require(Estimate((1...10_000).map(Double.init)))
    #expect(abs(estimate.low - (5000 - 0.98 * 100)) < 2)
    #expect(Estimate([]) == nil)
  }

  @Test("The ratio to memcpy is as uncertain as both times together")
  func ratioToMemcpy() throws {
    var records = try Fixture.records([try Fixture.job("steady")])[0].filter { !$0.isCopy }
    for i in records.indices {
      records[i].realTime = [100, 110, 120][i]
      records[i].memcpyRatio = [10, 11, 12][i]
      (records[i].memcpyLow, records[i].memcpyHigh) = (8, 20)
    }
    let ratio = try #require(Estimate(ratioToMemcpy: records))
    #expect(ratio.median == 11 && abs(ratio.low - 100 / 20) < 1e-9 && abs(ratio.high - 120 / 8) < 1e-9)
    #expect(ratio.interval == "5.0–15.0")
    for i in records.indices { (records[i].memcpyLow, records[i].memcpyHigh) = (nil, nil) }
    let old = try #require(Estimate(ratioToMemcpy: records))
    #expect(abs(old.low - 10) < 1e-9 && abs(old.high - 12) < 1e-9)
    records[0].memcpyRatio = 0
    #expect(Estimate(ratioToMemcpy: records) == nil)
  }

  @Test("Geometric means of small examples are right, and are nil if a value is not positive")
  func geometricMeans() {
    #expect(abs(Statistics.geometricMean([1, 4, 16])! - 4) < 1e-12)
    #expect(Statistics.geometricMean([1, 0]) == nil)
    #expect(Statistics.geometricMean([]) == nil)
  }
}
