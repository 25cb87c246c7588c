import Blur
import CBlur

/// The reason why a call failed: a number for programs, and a line of text for people.
struct Failure: Error {
  let code: blur_error
  let text: String

  /// Returns the failure for a wrong argument. `text` says what is wrong.
  static func argument(_ text: String) -> Failure { Failure(code: BLUR_ERROR_ARGUMENT, text: text) }
}

extension Failure {
  /// Creates the failure for an error of the library.
  ///
  /// - Parameter prefix: Text to put before the error message.
  init(_ error: BlurError, _ prefix: String = "") {
    let code =
      switch error {
      case .invalidLayout, .layoutMismatch, .maskMismatch, .bufferTooSmall: BLUR_ERROR_LAYOUT
      case .invalidSigma: BLUR_ERROR_SIGMA
      case .invalidRegion, .invalidDownscaling: BLUR_ERROR_REGION
      case .invalidThreads: BLUR_ERROR_THREADS
      case .unknownKernel: BLUR_ERROR_KERNEL
      case .noKernel: BLUR_ERROR_ACCURACY
      case .unsupported, .unavailable: BLUR_ERROR_UNSUPPORTED
      case .overlap: BLUR_ERROR_OVERLAP
      case .outOfMemory: BLUR_ERROR_MEMORY
      case .failed: BLUR_ERROR_FAILED
      }
    let text =
      switch error {
      // C callers may pass 0 threads, which stands for one thread. Swift callers may not.
      case .invalidThreads: error.description + ", or 0 for one thread"
      // The message of the Swift library names a Swift property, which C callers do not have.
      case .unknownKernel(let name, nil):
        "no kernel is called '\(name)'; `blur_kernel_name` returns the names of all kernels"
      default: error.description
      }
    self.init(code: code, text: prefix + text)
  }
}

/// Runs the body of a function that the C header declares, and returns 0 or the number of the error. The text
/// of the error is stored, so that the calling thread can read it with `blur_last_error`.
func status(_ body: () throws(Failure) -> Void) -> Int32 {
  do throws(Failure) {
    try body()
    return Int32(BLUR_SUCCESS.rawValue)
  } catch {
    blur_record_error(error.text)
    return Int32(error.code.rawValue)
  }
}
