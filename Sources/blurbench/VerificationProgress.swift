import BlurText
import Foundation
import Synchronization

/// The progress line of `blurbench verify`. The line shows how many properties of kernels have been checked,
/// and how many checks have been run for the property that will take the longest. With `--thorough`, the line
/// also contains an estimate of the remaining time.
final class VerificationProgress: Sendable {
  private let jobs: Int
  private let isThorough: Bool
  private let state = Mutex(State())

  private struct State {
    var done = 0
    var running: [String: Running] = [:]
    var shown = ContinuousClock.now
  }

  /// The progress for one property of a kernel, such as its symmetry, while the property is being checked.
  private struct Running {
    let begun = ContinuousClock.now
    var checks = 0, planned = 0
    var isTold = false

    /// The estimated number of seconds for the remaining checks of the property. The estimate assumes that
    /// these checks take as long as the previous ones.
    var secondsLeft: Double {
      let seconds = (ContinuousClock.now - begun) / .seconds(1)
      return seconds / Double(max(1, checks)) * Double(planned - checks)
    }
  }

  /// The number of seconds for which a property is checked before the remaining time is estimated.
  private static let trial = 5.0

  /// Creates the progress display for a verification that begins now.
  ///
  /// - Parameters:
  ///   - jobs: The number of properties to check, counted separately for each kernel.
  ///   - isThorough: Whether every check of each property is run, however long that takes.
  init(jobs: Int, isThorough: Bool) {
    self.jobs = jobs
    self.isThorough = isThorough
  }

  /// Records that a property has reached check number `check` of `planned` checks. This function is called
  /// often, so it redraws the progress line at most every 200 ms.
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

  /// Removes a property from the progress line, because its checks are finished.
  func ended(_ title: String) { state.withLock { $0.running[title] = nil } }

  /// Records the number of properties whose checks are finished, and redraws the progress line.
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
