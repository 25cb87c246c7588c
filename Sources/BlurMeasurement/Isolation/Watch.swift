import Foundation

/// Detects that a worker process hangs, because one of its steps, such as planning or one blur, takes too
/// long.
struct Watch {
  private let page: SharedPage
  private let worker: Process
  private let timeout: Double
  private var steps = -1
  private var step: StepTime
  private let heartbeat = SuspendDetector()

  init(_ page: SharedPage, of worker: Process, _ timeout: Double) {
    (self.page, self.timeout, self.worker) = (page, timeout, worker)
    step = StepTime(of: worker, timeout: timeout)
  }

  /// Whether the step that is running has taken longer than the timeout allows.
  var isStuck: Bool {
    mutating get {
      // The timeout applies to each step separately, so a new step starts a new time measurement. The
      // measurement also starts again if the computer has slept or the user has suspended the run meanwhile,
      // because the kernel is not to blame for such a delay.
      if page.steps != steps || page.current == 0 || heartbeat.takeStillness() > 0 {
        steps = page.steps
        step = StepTime(of: worker, timeout: timeout)
      }
      return step.isOver
    }
  }
}
