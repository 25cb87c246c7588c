// Addresses of memory that is not empty. `baseAddress` is nil for an empty buffer alone.

extension UnsafeBufferPointer {
  /// The address of the first element; traps where there is none.
  @inline(__always)
  package var start: UnsafePointer<Element> {
    guard let baseAddress else { preconditionFailure("an empty buffer has no first element") }
    return baseAddress
  }
}

extension UnsafeMutableBufferPointer {
  /// The address of the first element; traps where there is none.
  @inline(__always)
  package var start: UnsafeMutablePointer<Element> {
    guard let baseAddress else { preconditionFailure("an empty buffer has no first element") }
    return baseAddress
  }
}

extension UnsafeRawBufferPointer {
  /// The address of the first byte; traps where there is none.
  @inline(__always)
  package var start: UnsafeRawPointer {
    guard let baseAddress else { preconditionFailure("an empty buffer has no first byte") }
    return baseAddress
  }
}

extension UnsafeMutableRawBufferPointer {
  /// The address of the first byte; traps where there is none.
  @inline(__always)
  package var start: UnsafeMutableRawPointer {
    guard let baseAddress else { preconditionFailure("an empty buffer has no first byte") }
    return baseAddress
  }
}

/// Calls `body` with the addresses of the first elements of two arrays that are not empty.
@inline(__always)
func withStarts<Element>(
  _ first: [Element], _ second: [Element], _ body: (UnsafePointer<Element>, UnsafePointer<Element>) -> Void
) {
  first.withUnsafeBufferPointer { first in
    second.withUnsafeBufferPointer { second in body(first.start, second.start) }
  }
}
