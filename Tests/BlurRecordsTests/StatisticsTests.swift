import Testing

@testable import BlurRecords

@Suite("Statistics")
struct StatisticsTests {
  @Test("Medians by hand")
  func medians() {
    #expect(Statistics.median([]) == nil)
    #expect(Statistics.median([7]) == 7)
    #expect(Statistics.median([9, 1, 5]) == 5)
    #expect(Statistics.median([4, 1, 3, 10]) == 3.5)
  }

  @Test("Quantiles by hand, and as NumPy's default gives them")
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

  @Test("Geometric means by hand; none of values that are not positive")
  func geometricMeans() {
    #expect(abs(Statistics.geometricMean([1, 4, 16])! - 4) < 1e-12)
    #expect(Statistics.geometricMean([1, 0]) == nil)
    #expect(Statistics.geometricMean([]) == nil)
  }
}
