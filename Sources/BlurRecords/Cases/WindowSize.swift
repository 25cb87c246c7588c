import BlurText

/// The sizes, such as a radius, that other libraries use instead of sigma to describe a blur.
package enum WindowSize {
  /// Returns a hint with the sigma to use instead of a size, or nil if `name` is not the name of a size.
  ///
  /// - Parameters:
  ///   - name: The name of an option or key, such as `radius` or `ksize`.
  ///   - values: The numbers that the user gave as sizes.
  ///   - use: A closure that writes sigmas in the form that the user needs, such as `--sigma 2`.
  package static func hint(_ name: String, _ values: [String], use: ([String]) -> String) -> String? {
    let word = name.lowercased().filter(\.isLetter)
    let isRadius = ["radius", "radii", "blurradius"].contains(word)
    guard isRadius || ["ksize", "ksizes", "kernelsize", "kernelsizes", "windowsize"].contains(word) else {
      return nil
    }
    let numbers = values.compactMap { Double.decimal($0) }.filter { $0 > 0 && $0.isFinite }
    guard numbers.count == values.count, !numbers.isEmpty else {
      return "there is no \(name); the size of a blur is given as sigma, its standard deviation"
    }
    guard isRadius else {
      return "there is no \(name); OpenCV blurs with \(use(numbers.map(sigma))) if its window has that size"
    }
    let sizes = numbers.map { 2 * $0 + 1 }
    return "there is no \(name); if it is the standard deviation, as in Pillow and CSS, use "
      + "\(use(numbers.map(\.short))); if a window reaches that far, as in OpenCV with ksize "
      + "\(sizes.map(\.short).listed), use \(use(sizes.map(sigma)))"
  }

  /// Returns the sigma that OpenCV chooses for a window of `size` pixels.
  private static func sigma(_ size: Double) -> String {
    (0.3 * ((size - 1) * 0.5 - 1) + 0.8).rounded(toDigits: 6).short
  }
}
