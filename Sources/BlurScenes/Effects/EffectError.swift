import Blur

/// Why an effect could not be planned. Each message says what was wrong and what is allowed.
public enum EffectError: Error, Equatable, Sendable, CustomStringConvertible {
  /// An effect with a number that it cannot have, which one, and what is allowed.
  case invalid(String)
  /// The effect's blur could not be planned.
  case blur(BlurError)

  /// One line of text.
  public var description: String {
    switch self {
    case .invalid(let reason): "effect \(reason)"
    case .blur(let error): error.description
    }
  }
}
