import Blur
import BlurText
import Foundation

/// The traits that all failures of a property have in common, such as an edge mode, a format, an instruction
/// set or large sigmas. They are hints at the cause of the failures.
struct SharedTraits {
  /// A description in one line, such as "all 12 failures have this in common: edge wrap, 2 threads".
  let text: String

  /// If all failures share a trait, such as an edge mode, the trait is reported only if the probability of a
  /// coincidence is below `chance`. For bounds such as "width at least 65", the probability must be below
  /// `chanceOfBounds`. This limit is lower, because some bound always fits all failures.
  private static let chance = 0.03, chanceOfBounds = 1e-3

  /// Looks for traits that all failed checks of one kernel and property share. Returns nil if there are none.
  ///
  /// - Parameter shown: The failures whose commands the report prints, which were reduced to simpler
  ///   conditions. If one of them lacks a trait, this trait cannot be the cause, so it is not reported.
  init?(_ checks: [Check], shown: [Check] = []) {
    let shown = shown.map(\.subject)
    let made = checks.filter { $0.outcome.reason == nil }
    let failed = made.filter { $0.outcome.failure != nil }
    guard failed.count > 1, failed.count < made.count else { return nil }
    let names = Self.name(of: failed, among: made, shown)
    let bounds = Self.numbers.compactMap { Self.bound($0.name, $0.value, failed, made, shown) }
    guard !(names + bounds).isEmpty else { return nil }
    text = "all \(failed.count) failures have this in common: " + (names + bounds).joined(separator: ", ")
  }

  /// Returns descriptions of the conditions that are the same in all failures, such as the edge mode or the
  /// pixel format. If the pixel formats differ, only the component type and the number of channels are
  /// compared. Numeric bounds, such as "width at least 65", are not included.
  private static func name(of failed: [Check], among made: [Check], _ shown: [Subject]) -> [String] {
    func shared(_ trait: (Subject) -> String?) -> String? {
      guard let name = trait(failed[0].subject), failed.allSatisfy({ trait($0.subject) == name }),
        shown.allSatisfy({ trait($0) == name })
      else { return nil }
      let share = Double(made.count { trait($0.subject) == name }) / Double(made.count)
      return pow(share, Double(failed.count)) < chance ? name : nil
    }
    let format = shared { "format \($0.format)" }
    let formats = format.map { [$0] } ?? [shared(component), shared(channels)].compactMap(\.self)
    return formats + traits.compactMap(shared)
  }

  private static func component(_ subject: Subject) -> String {
    switch subject.format.component {
    case .uint8: "8-bit format"
    case .uint16: "16-bit format"
    case .float32: "float format"
    }
  }

  private static func channels(_ subject: Subject) -> String {
    ["one channel", "", "three channels", "four channels"][subject.format.channels - 1]
  }

  private static let traits: [@Sendable (Subject) -> String?] = [
    { "edge \($0.edgeName)" },
    { $0.instructionSet.name },
    { $0.threads.of("thread") },
    { $0.sigma.x == $0.sigma.y ? "one sigma for both axes" : "a different sigma for each axis" },
    { $0.image.map { "image \($0.kind.rawValue)" } },
    { $0.image.map { $0.width % 2 == 0 ? "even widths" : "odd widths" } },
    { $0.image.map { $0.height % 2 == 0 ? "even heights" : "odd heights" } },
  ]

  private static let numbers: [(name: String, value: @Sendable (Subject) -> Double?)] = [
    ("sigma across", { $0.sigma.x }), ("sigma down", { $0.sigma.y }),
    ("width", { $0.image.map { Double($0.width) } }), ("height", { $0.image.map { Double($0.height) } }),
  ]

  /// Returns a numeric bound that all failures satisfy, such as "width at least 65". Returns nil if it is
  /// likely that the failures satisfy the bound only by chance.
  private static func bound(
    _ name: String, _ value: (Subject) -> Double?, _ failed: [Check], _ made: [Check], _ shown: [Subject]
  ) -> String? {
    let (failures, all) = (failed.compactMap { value($0.subject) }, made.compactMap { value($0.subject) })
    guard let low = failures.min(), let high = failures.max() else { return nil }
    let others = shown.compactMap(value)
    func isRare(_ holds: (Double) -> Bool) -> Bool {
      others.allSatisfy(holds)
        && pow(Double(all.count(where: holds)) / Double(all.count), Double(failures.count)) < chanceOfBounds
    }
    if low == high, isRare({ $0 == low }) { return "\(name) \(low.short)" }
    let words = [
      isRare { $0 >= low } ? "at least \(low.short)" : nil,
      isRare { $0 <= high } ? "at most \(high.short)" : nil,
    ].compactMap(\.self)
    return words.isEmpty ? nil : "\(name) \(words.joined(separator: " and "))"
  }
}
