/// The orders in which candidates are interleaved.
///
/// A Latin square balanced for carry-over (E. J. Williams, "Experimental designs balanced for the estimation
/// of residual effects of treatments", 1949): each one stands at each place equally often, and follows each
/// other one equally often. Two of them give ABBA.
enum WilliamsDesign {
  /// The rows of the design for `count` things: `count` rows of an even number, twice as many of an odd one.
  static func rows(_ count: Int) -> [[Int]] {
    guard count > 1 else { return [Array(0..<count)] }
    // 0, 1, n−1, 2, n−2, …: neighbours differ by every number once.
    let first = (0..<count).map { $0 % 2 == 1 ? ($0 + 1) / 2 : (count - $0 / 2) % count }
    let square = (0..<count).map { shift in first.map { ($0 + shift) % count } }
    return count % 2 == 0 ? square : square + square.map { $0.reversed() }
  }

  /// Rows for `count` things, at least `least` of them: the design over and over, every other time backwards,
  /// so that two things go ABBA BAAB.
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
