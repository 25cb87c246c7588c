/// The times of one case on both sides of a comparison, as logarithms. The base and the head were measured
/// either in pairs or separately.
enum LogTimes: Sendable {
  /// The base and the head were timed alternately. Each trial contributes one value: the logarithm of the
  /// head's time divided by the base's time.
  case paired([Double])
  /// The base and the head were measured in different runs, so their times cannot be compared in pairs. The
  /// two arrays contain the logarithms of all times of the base and of all times of the head.
  case separate(base: [Double], head: [Double])

  /// The logarithms of the ratios of paired times, or an empty array if the times are not paired.
  var ratios: [Double] { if case .paired(let ratios) = self { ratios } else { [] } }

  /// The number of pairs. If the times are not paired, this is the number of times on the side that has fewer
  /// of them.
  var count: Int {
    switch self {
    case .paired(let ratios): ratios.count
    case .separate(let base, let head): min(base.count, head.count)
    }
  }

  /// A copy without the values that are infinite or NaN.
  var finite: LogTimes {
    switch self {
    case .paired(let ratios): .paired(ratios.filter(\.isFinite))
    case .separate(let base, let head):
      .separate(base: base.filter(\.isFinite), head: head.filter(\.isFinite))
    }
  }
}
