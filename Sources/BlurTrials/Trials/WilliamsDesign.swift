/// The orders in which candidates are timed alternately.
///
/// They form a Latin square that is balanced for carry-over effects (E. J. Williams, "Experimental designs
/// balanced for the estimation of residual effects of treatments", 1949). Each candidate occupies each
/// position equally often, and follows each other candidate equally often. For two candidates A and B this
/// gives the order ABBA.
enum WilliamsDesign {
  /// Returns a list of orders in which to time `count` candidates. Each order contains every candidate once,
  /// and the list is balanced: every candidate follows every other candidate equally often. The list has
  /// `count` orders if `count` is even, and twice as many if it is odd.
  static func rows(_ count: Int) -> [[Int]] {
    guard count > 1 else { return [Array(0..<count)] }
    // The first row of the design is 0, 1, n−1, 2, n−2, … for n candidates. If n is even, each possible
    // difference between neighbours, modulo n, occurs exactly once in this row. If n is odd, the reversed
    // rows are needed to balance the differences.
    let first = (0..<count).map { $0 % 2 == 1 ? ($0 + 1) / 2 : (count - $0 / 2) % count }
    let square = (0..<count).map { shift in first.map { ($0 + shift) % count } }
    return count % 2 == 0 ? square : square + square.map { $0.reversed() }
  }

  /// Returns the order of the candidates for each of at least `least` rounds. The list of all balanced orders
  /// is repeated as often as necessary. Every second repetition is reversed, so that two candidates run in
  /// the order ABBA BAAB.
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
