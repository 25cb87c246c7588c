import Foundation

extension Double {
  /// The shortest text that reads back as this number: `10` and `0.5`.
  package var short: String { self == rounded() && abs(self) < 1e15 ? String(Int(self)) : String(self) }

  /// The number with `digits` digits after the point.
  package func fixed(_ places: Int) -> String { String(format: "%.\(places)f", self) }

  /// The number with three digits, as short as that can be written.
  package var threeDigits: String { rounded(toDigits: 3).short }

  /// The nearest number of `count` decimal digits.
  package func rounded(toDigits count: Int) -> Double {
    guard abs(self) > 1e-300, isFinite else { return self }
    let most = (0..<count).reduce(1.0) { power, _ in power * 10 }
    var unit = 1.0
    while abs(self) / unit < most / 10 { unit /= 10 }
    while abs(self) / unit >= most { unit *= 10 }
    // A division by a power of ten is rounded correctly, a product with its inverse is not.
    let digits = (self / unit).rounded()
    return unit < 1 ? digits / (1 / unit).rounded() : digits * unit
  }

  /// The number, or nil for infinity and not-a-number, which have no place in records.
  package var finite: Double? { isFinite ? self : nil }
}

extension Int {
  /// The number and its noun: `1 thread`, `2 threads`.
  ///
  /// - Parameter several: the plural, where that is not the noun and an s.
  package func of(_ noun: String, _ several: String? = nil) -> String {
    "\(self) \(self == 1 ? noun : several ?? noun + "s")"
  }
}
