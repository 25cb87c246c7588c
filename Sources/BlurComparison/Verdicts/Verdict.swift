/// The verdict on one case.
public enum Verdict: String, Codable, CaseIterable, Sendable {
  /// The case is slower, and the confidence is high that it is slower by more than a third of the threshold.
  /// If the times were measured for this comparison, later measurements have also confirmed the slowdown, or
  /// it is beyond doubt. Times from records cannot be confirmed in this way.
  case regressed
  /// The case is faster, and the confidence is high that it is faster by more than a third of the threshold.
  /// If the times were measured for this comparison, later measurements have also confirmed the improvement.
  case improved
  /// The times differ by less than the threshold, and this is proven.
  case same
  /// It is proven that the new version is not slower by the threshold or more. It may be faster, but this has
  /// not been confirmed.
  case notSlower = "not slower"
  /// The case seems slower, and a change of the machine does not explain it, but the slowdown is not proven.
  /// This verdict occurs only in comparisons of records.
  case suspect
  /// The case is missing in the records of the head, for example because the run was stopped early. This
  /// verdict occurs only in comparisons of records.
  case missing
  /// The measurements are not sufficient for any of the other verdicts.
  case unclear = "can't tell"
}
