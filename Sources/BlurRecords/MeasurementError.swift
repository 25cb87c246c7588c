/// Why something could not be measured, recorded or read. Each message says what was wrong, where, and what
/// is allowed.
public enum MeasurementError: Error, Equatable, Sendable, CustomStringConvertible {
  /// A line of a suite file that cannot be used.
  case suite(file: String, line: Int, column: Int, reason: String)
  /// A request that makes no sense: an unknown name, a malformed list, a filter that matches nothing.
  case usage(String)
  /// A file that cannot be read or written, or whose contents cannot be used.
  case file(path: String, reason: String)
  /// Google Benchmark or the system refused.
  case failed(String)

  /// One line of text.
  public var description: String {
    switch self {
    case .suite(let file, let line, let column, let reason): "\(file):\(line):\(column): \(reason)"
    case .usage(let reason), .failed(let reason): reason
    case .file(let path, let reason): "\(path): \(reason)"
    }
  }

  /// Whether the command line is to blame (exit code 64), rather than the machine or a file.
  public var isUsage: Bool {
    if case .usage = self { true } else { false }
  }
}
