import Foundation

extension Double {
  /// The shortest decimal text that reads back as the same number, such as `10` or `0.5`.
  package var short: String { self == rounded() && abs(self) < 1e15 ? String(Int(self)) : String(self) }

  /// Returns the number as text with `places` digits after the decimal point.
  package func fixed(_ places: Int) -> String { String(format: "%.\(places)f", self) }

  /// The number rounded to three significant digits, as text without trailing zeros.
  package var threeDigits: String { rounded(toDigits: 3).short }

  /// Returns the number rounded to `count` significant decimal digits.
  package func rounded(toDigits count: Int) -> Double {
    guard abs(self) > 1e-300, isFinite else { return self }
    let most = (0..<count).reduce(1.0) { power, _ in power * 10 }
    var unit = 1.0
    while abs(self) / unit < most / 10 { unit /= 10 }
    while abs(self) / unit >= most { unit *= 10 }
    // A division by a power of ten gives the floating-point number that is closest to the exact result. A
    // multiplication by the inverse, such as 0.1, would not always do so, because 0.1 is not exact.
    let digits = (self / unit).rounded()
    return unit < 1 ? digits / (1 / unit).rounded() : digits * unit
  }

  /// Parses a decimal number such as `-0.5` or `1e9`. Returns nil for any other text, including hexadecimal
  /// numbers, `inf` and `nan`, which `Double(_:)` accepts.
  package static func decimal(_ text: some StringProtocol) -> Double? {
    text.utf8.allSatisfy { "0123456789+-.eE".utf8.contains($0) } ? Double(text) : nil
  }

  /// The number itself, or nil if it is infinite or NaN, because records cannot store such values.
  package var finite: Double? { isFinite ? self : nil }
}

extension Int {
  /// Parses a number of bytes, optionally with the suffix K, M or G for a factor of 1024, 1024² or 1024³, as
  /// in `32K`. Returns nil for any other text.
  package init?(bytes text: String) {
    let powers: [Character: Int] = ["K": 10, "M": 20, "G": 30]
    let power = text.last.flatMap { powers[$0] }
    guard let count = Int(power == nil ? text : String(text.dropLast())),
      count <= Int.max >> (power ?? 0)
    else { return nil }
    self = count << (power ?? 0)
  }

  /// Returns the number followed by the noun, such as `1 thread` or `2 threads`.
  ///
  /// - Parameter several: The plural of the noun, if it is not formed by appending an s.
  package func of(_ noun: String, _ several: String? = nil) -> String {
    "\(self) \(self == 1 ? noun : several ?? noun + "s")"
  }
}
