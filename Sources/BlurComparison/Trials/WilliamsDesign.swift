/// The orders for timing several candidates, such as builds or kernels, alternately.
///
/// A measurement can influence the next one, for example through the caches. The orders are balanced so that
/// these effects cancel out: each candidate occupies each position equally often, and each candidate follows
/// each other candidate equally often. Two candidates A and B, for example, are timed in the order ABBA.
/// Source: E. J. Williams, "Experimental designs balanced for the estimation of residual effects of
/// treatments", 1949.
enum WilliamsDesign {
  /// Returns a balanced list of orders for timing `count` candidates. The list contains `count` orders if
  /// `count` is even, and 2 · `count` orders if it is odd.
  static func rows(_ count: Int) -> [[Int]] {
    guard count > 1 else { return [Array(0..<count)] }
    // The first order is 0, 1, n−1, 2, n−2, … for n candidates. All other orders result from adding 1, 2, 3,
    // … to its numbers, modulo n. If n is even, each possible difference between neighbouring numbers occurs
    // exactly once in the first order, so the list is balanced. If n is odd, the reversed orders are needed
    // as well.
    let first = (0..<count).map { $0 % 2 == 1 ? ($0 + 1) / 2 : (count - $0 / 2) % count }
    let square = (0..<count).map { shift in first.map { ($0 + shift) % count } }
    return count % 2 == 0 ? square : square + square.map { $0.reversed() }
  }

  /// Returns the order of the candidates for each of at least `least` rounds. The list of balanced orders is
  /// repeated as often as necessary, and every second repetition is reversed, as in ABBA BAAB.
  static func rounds(_ count: Int, atLeast least: Int, isBackwards: Bool) -> [[Int]] {
    let rows = rows(count)
    var rounds: [[Int]] = []
    while rounds.count < least || rounds.isEmpty {
      let isOdd = (rounds.count / rows.count) % 2 == 1
      rounds += isOdd ? rows.map { $0.reversed() } : rows
    }
    return isBackwards ? rounds.map { $0.reversed() } : rounds
  }
}
