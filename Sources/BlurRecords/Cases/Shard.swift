import Foundation

/// One part of a suite that is divided among several machines. For example, `2/5` is the second of five
/// shards.
public struct Shard: Hashable, Sendable {
  /// The index of this shard, starting at 1.
  public let index: Int
  /// The total number of shards.
  public let count: Int

  /// The maximum number of shards. It is higher than the number of tasks that the job scheduler Slurm allows
  /// by default in an array job, so it does not restrict such jobs.
  static let most = 10_000

  /// Creates the shard with the given index.
  ///
  /// - Throws: ``MeasurementError/usage(_:)`` unless `index` is from 1 to `count`.
  public init(_ index: Int, of count: Int) throws(MeasurementError) {
    guard (1...Self.most).contains(count) else {
      throw .usage("--shard: the number of shards is \(count); it must be from 1 to \(Self.most)")
    }
    guard (1...count).contains(index) else {
      throw .usage("--shard: there is no shard \(index) of \(count); the index must be from 1 to \(count)")
    }
    (self.index, self.count) = (index, count)
  }

  /// Parses a shard such as `2/5`. The text can also be `auto` or `auto/5`, which take the index of the shard
  /// from environment variables that a job scheduler sets.
  ///
  /// In an array job of Slurm, `auto` uses the position of this task among all tasks of the array, whose
  /// numbers must not have gaps. `auto/5` uses the number of the task itself, so the array may contain only
  /// some of the tasks 1 to 5.
  ///
  /// In an indexed job of Kubernetes, a task does not know how many tasks the job has. The text must
  /// therefore state the number of shards, as in `auto/5`. The task with number 0 measures the first shard.
  ///
  /// - Throws: ``MeasurementError/usage(_:)`` that says what is missing.
  public init(
    _ text: String, environment: [String: String] = ProcessInfo.processInfo.environment
  ) throws(MeasurementError) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    let count = parts.count == 2 ? Int(parts[1]) : nil
    if parts[0] == "auto", parts.count == 1 || (parts.count == 2 && count != nil) {
      self = try Scheduler(environment).shard(of: count)
    } else if parts.count == 2, let index = Int(parts[0]), let count {
      try self.init(index, of: count)
    } else {
      throw .usage(
        "--shard '\(text)': must be i/n, such as 2/5; in a Slurm or Kubernetes job, it can be auto or auto/n")
    }
  }

  /// The shard as text that can be parsed again.
  public var text: String { "\(index)/\(count)" }
}

/// Determines which shard this process has to measure, from the environment variables that a job scheduler
/// (Slurm or Kubernetes) sets.
private struct Scheduler {
  private static let slurm = "SLURM_ARRAY_TASK_ID", kubernetes = "JOB_COMPLETION_INDEX"
  private let environment: [String: String]

  init(_ environment: [String: String]) { self.environment = environment }

  func shard(of count: Int?) throws(MeasurementError) -> Shard {
    switch (try number(Self.slurm), try number(Self.kubernetes)) {
    case (let task?, nil):
      if let count { return try Shard(task, of: count) }
      return try placeInArray(task)
    case (nil, let index?):
      guard let count else {
        throw .usage(
          "--shard auto: \(Self.kubernetes) does not say how many tasks the job has; use auto/n with the "
            + "number of completions of the job")
      }
      return try Shard(index + 1, of: count)
    case (nil, nil):
      throw .usage(
        "--shard auto: neither \(Self.slurm) (in an array job of Slurm) nor \(Self.kubernetes) (in an "
          + "indexed job of Kubernetes) is set; give the shard as i/n")
    default:
      throw .usage("--shard auto: \(Self.slurm) and \(Self.kubernetes) are both set; give the shard as i/n")
    }
  }

  /// Returns the shard that a task of a Slurm array job measures. The tasks are numbered `MIN, MIN + STEP, …
  /// MAX`, and the shards follow the order of the tasks.
  private func placeInArray(_ task: Int) throws(MeasurementError) -> Shard {
    let (count, first) = (try needed("COUNT"), try needed("MIN"))
    let (last, step) = (try needed("MAX"), try number("SLURM_ARRAY_TASK_STEP") ?? 1)
    let isWhole = step > 0 && first <= last && (last - first) / step + 1 == count
    guard isWhole, (first...last).contains(task), (task - first) % step == 0 else {
      throw .usage(
        "--shard auto: the job array has gaps (\(count) tasks from \(first) to \(last) with step \(step)); "
          + "use auto/n, and number the tasks from 1 to n")
    }
    return try Shard((task - first) / step + 1, of: count)
  }

  private func needed(_ name: String) throws(MeasurementError) -> Int {
    let name = "SLURM_ARRAY_TASK_\(name)"
    guard let value = try number(name) else {
      throw .usage("--shard auto: \(name) is not set; use auto/n")
    }
    return value
  }

  private func number(_ name: String) throws(MeasurementError) -> Int? {
    guard let text = environment[name], !text.isEmpty else { return nil }
    guard let value = Int(text), (0...1_000_000_000).contains(value) else {
      throw .usage("--shard auto: \(name)='\(text)' is not a valid task number")
    }
    return value
  }
}
