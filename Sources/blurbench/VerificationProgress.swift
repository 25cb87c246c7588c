import BlurText
import Foundation
import Synchronization

/// How far `verify` is: properties that are done, checks of the one that takes longest, and, where no time
/// limits them, how long they will take.
final class VerificationProgress: Sendable {
  private let jobs: Int
  private let isThorough: Bool
  private let state = Mutex(State())

  private struct State {
    var done = 0
    var running: [String: Running] = [:]
    var shown = ContinuousClock.now
  }

  /// A property that is being checked.
  private struct Running {
    let begun = ContinuousClock.now
    var checks = 0, planned = 0
    var isTold = false

    /// Seconds to the end, if checks go on as before.
    var secondsLeft: Double {
      let seconds = (ContinuousClock.now - begun) / .seconds(1)
      return seconds / Double(max(1, checks)) * Double(planned - checks)
    }
  }

  /// Seconds after which what a property takes can be told.
  private static let trial = 5.0

  /// - Parameters:
  ///   - jobs: how many properties there are to check, counted for each kernel.
  ///   - isThorough: whether all their checks are made.
  init(jobs: Int, isThorough: Bool) {
    self.jobs = jobs
    self.isThorough = isThorough
  }

  /// Says that a property has come to a check; called often.
  func reached(_ check: Int, of planned: Int, _ title: String) {
    state.withLock { state in
      var running = state.running[title] ?? Running()
      (running.checks, running.planned) = (min(check, planned), planned)
      if isThorough, !running.isTold, running.begun.duration(to: .now) > .seconds(Self.trial) {
        running.isTold = true
        if running.secondsLeft > Self.trial {
          Terminal.say(
            "\(title): \(planned) checks take about \(Self.time(running.secondsLeft + Self.trial))")
        }
      }
      state.running[title] = running
      guard state.shown.duration(to: .now) > .milliseconds(200) else { return }
      show(&state)
    }
  }

  /// Says that a property is over.
  func ended(_ title: String) { state.withLock { $0.running[title] = nil } }

  /// Says how many properties are over.
  func done(_ count: Int) {
    state.withLock { state in
      state.done = count
      show(&state)
    }
  }

  private func show(_ state: inout State) {
    state.shown = .now
    guard state.done < jobs else { return Terminal.progress("") }
    var line = "\(state.done) of \(jobs) properties"
    if let (title, running) = state.running.max(by: { $0.value.secondsLeft < $1.value.secondsLeft }),
      running.planned > 0
    {
      line += "; \(title): \(running.checks) of \(running.planned) checks"
      if isThorough { line += ", \(Self.time(running.secondsLeft)) left" }
    }
    Terminal.progress(line)
  }

  private static func time(_ seconds: Double) -> String {
    seconds < 100 ? "\(Int(seconds.rounded(.up))) s" : "\(Int((seconds / 60).rounded(.up))) min"
  }
}
