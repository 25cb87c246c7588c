import Blur
import CBlur

/// Why a call failed: a number for programs, a line for people.
struct Failure: Error {
  let code: blur_error
  let text: String

  /// What is wrong with an argument.
  static func argument(_ text: String) -> Failure { Failure(code: BLUR_ERROR_ARGUMENT, text: text) }
}

extension Failure {
  /// - Parameter prefix: stands before the error's line.
  init(_ error: BlurError, _ prefix: String = "") {
    let code =
      switch error {
      case .invalidLayout, .layoutMismatch, .maskMismatch, .bufferTooSmall: BLUR_ERROR_LAYOUT
      case .invalidSigma: BLUR_ERROR_SIGMA
      case .invalidRegion: BLUR_ERROR_REGION
      case .invalidThreads: BLUR_ERROR_THREADS
      case .unknownKernel: BLUR_ERROR_KERNEL
      case .noKernel: BLUR_ERROR_ACCURACY
      case .unsupported, .unavailable: BLUR_ERROR_UNSUPPORTED
      case .overlap: BLUR_ERROR_OVERLAP
      case .outOfMemory: BLUR_ERROR_MEMORY
      case .failed: BLUR_ERROR_FAILED
      }
    // Options that are 0 have their default here.
    let zero = code == BLUR_ERROR_THREADS ? ", or 0 for 1" : ""
    self.init(code: code, text: prefix + error.description + zero)
  }
}

/// Runs a function of the header: its error becomes a number, and a text that the thread keeps.
func status(_ body: () throws(Failure) -> Void) -> Int32 {
  do throws(Failure) {
    try body()
    return Int32(BLUR_SUCCESS.rawValue)
  } catch {
    blur_record_error(error.text)
    return Int32(error.code.rawValue)
  }
}
