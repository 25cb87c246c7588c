import Blur
import BlurText
import CBlur
import Synchronization

/// A plan that blurs with a plug-in. The plug-in starts its own threads, so the work is not divided among
/// threads here.
final class PluginPlan: Plan {
  private let plan: Mutex<OpaquePlan>

  let facts = PlanFacts(phases: [Phase(units: 1)])

  init(_ kernel: PluginKernel, _ problem: BlurProblem) throws(BlurError) {
    plan = Mutex(try OpaquePlan(kernel, blur_request(problem)))
  }

  func run(_ phase: Int, _ units: Range<Int>, _ buffers: PhaseContext) {
    do throws(BlurError) {
      try plan.withLock { (plan) throws(BlurError) in
        try plan.blur(buffers.source, into: buffers.destination)
      }
    } catch {
      buffers.fail(error)
    }
  }
}

/// Owns the plan object that the plug-in made, and frees it when this value is destroyed.
private struct OpaquePlan: ~Copyable {
  private let kernel: PluginKernel
  private let address: UnsafeMutableRawPointer?

  init(_ kernel: PluginKernel, _ request: blur_request) throws(BlurError) {
    var plan: UnsafeMutableRawPointer?
    var request = request
    let (status, message) = Message.collect {
      kernel.functions.plan(kernel.functions.context, &request, &plan, $0)
    }
    switch status {
    case Int32(BLUR_OK.rawValue): break
    case Int32(BLUR_UNSUPPORTED.rawValue):
      let reason = message ?? "this case: plan returned BLUR_UNSUPPORTED without a message"
      throw .unsupported(kernel: kernel.name, reason: reason)
    case Int32(BLUR_FAILED.rawValue):
      let reason = message.map { "planning: \($0)" } ?? "plan returned BLUR_FAILED without a message"
      throw .failed(kernel: kernel.name, reason: reason)
    default:
      throw .failed(
        kernel: kernel.name, reason: "plan returned \(status), which is not a value of blur_status")
    }
    self.kernel = kernel
    address = plan
  }

  deinit { kernel.functions.destroy?(address) }

  func blur(_ source: ImageView, into target: MutableImageView) throws(BlurError) {
    // SAFETY: the plan's owner has checked that both views have the planned format and size. They stay valid
    // during this call, and the plug-in gets their strides.
    let (status, message) = Message.collect {
      kernel.functions.blur(
        address, source.base, Int64(source.layout.stride), target.base, Int64(target.layout.stride), $0)
    }
    let fault: String
    switch status {
    case Int32(BLUR_OK.rawValue): return
    case Int32(BLUR_UNSUPPORTED.rawValue):
      fault = "blur returned BLUR_UNSUPPORTED, which only plan may return" + (message.map { ": \($0)" } ?? "")
    case Int32(BLUR_FAILED.rawValue): fault = message ?? "blur returned BLUR_FAILED without a message"
    default: fault = "blur returned \(status), which is not a value of blur_status"
    }
    throw .failed(kernel: kernel.name, reason: fault)
  }
}

/// The buffer in which a plug-in may leave a message for the user.
private enum Message {
  static let capacity = 512

  /// Runs `call` and returns its status and the text that the plug-in left, joined into one line and without
  /// control characters. The text is nil if the call succeeded, or if the plug-in left none.
  static func collect(_ call: (blur_message) -> Int32) -> (status: Int32, message: String?) {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: capacity) { text in
      text.initialize(repeating: 0)
      let status = call(blur_message(text: text.baseAddress, capacity: capacity))
      // If the plug-in forgot the terminating 0, reading must still stop at the end of the buffer.
      text[capacity - 1] = 0
      guard status != 0 else { return (status, nil) }
      let message = PlainText.shown(String(cString: text.start).oneLine)
      return (status, message.isEmpty ? nil : message)
    }
  }
}

extension blur_request {
  init(_ problem: BlurProblem) {
    // The colour beyond the image edges (edge mode `constant`) is rounded and clamped to a value that the
    // pixel format can store. Plug-ins thus get the same value as the library's own kernels.
    func constant(_ c: Int) -> Double { Double(problem.edge.constant(c, in: problem.layout.format)) }
    self.init(
      format: Int32(problem.layout.format.code), edge: Int32(problem.edge.code),
      width: Int64(problem.layout.width), height: Int64(problem.layout.height),
      sigma_x: problem.sigma.x, sigma_y: problem.sigma.y,
      constant: (constant(0), constant(1), constant(2), constant(3)),
      threads: Int32(problem.threads))
  }
}
