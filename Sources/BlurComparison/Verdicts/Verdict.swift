/// The verdict on one case.
public enum Verdict: String, Codable, CaseIterable, Sendable {
  /// The case is slower by more than a third of the threshold, with high confidence. If the times were
  /// measured for this comparison, later measurements have also confirmed the slowdown, or the slowdown is
  /// beyond doubt. Times from records cannot be confirmed in this way.
  case regressed
  /// The case is faster by more than a third of the threshold, with high confidence. If the times were
  /// measured for this comparison, later measurements have also confirmed the improvement.
  case improved
  /// It is proven that the times differ by less than the threshold.
  case same
  /// It is proven that the new version is not slower by the threshold or more. It may be faster, but this has
  /// not been confirmed.
  case notSlower = "not slower"
  /// The case seems slower, and a change in the machine does not explain the slowdown, but the slowdown is
  /// not proven. This verdict occurs only in comparisons of records.
  case suspect
  /// The case is missing in the records of the head, for example because the run was stopped early. This
  /// verdict occurs only in comparisons of records.
  case missing
  /// There are not enough measurements for any of the other verdicts.
  case unclear = "can't tell"
}
