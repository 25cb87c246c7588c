import Blur

/// An error that is thrown while an effect is being prepared. The message says which value is wrong and which
/// values are allowed.
enum EffectError: Error, Equatable, Sendable, CustomStringConvertible {
  /// A number of the effect is out of range. The message names the number and the allowed range.
  case invalid(String)
  /// The blur of the effect could not be planned.
  case blur(BlurError)

  /// The message in one line of text.
  var description: String {
    switch self {
    case .invalid(let reason): "effect \(reason)"
    case .blur(let error): error.description
    }
  }
}
