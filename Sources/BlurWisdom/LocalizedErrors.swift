import Blur

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

// The module Blur does not import Foundation, so `errorDescription` is defined in this module instead. Every
// program that depends on the product Blur rather than BlurCore also links this module.

extension BlurError: LocalizedError {
  /// The same text as `description`, for programs that show `localizedDescription`.
  public var errorDescription: String? { description }
}

extension WisdomFile.Failure: LocalizedError {
  /// The same text as `description`, for programs that show `localizedDescription`.
  public var errorDescription: String? { description }
}
