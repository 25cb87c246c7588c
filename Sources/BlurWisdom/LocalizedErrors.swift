import Blur

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

// The module Blur does without Foundation. The product Blur contains this module, too, so the texts are there
// for every program that does not depend on BlurCore.

extension BlurError: LocalizedError {
  /// The same text as `description`, for programs that show `localizedDescription`.
  public var errorDescription: String? { description }
}

extension WisdomFile.Failure: LocalizedError {
  /// The same text as `description`, for programs that show `localizedDescription`.
  public var errorDescription: String? { description }
}
