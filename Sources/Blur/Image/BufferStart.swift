// The properties below return the address of a buffer, like `baseAddress`. The result is not optional, so the
// buffer must not be empty.

extension UnsafeBufferPointer {
  /// The address of the first element. Traps if the buffer is empty.
  @inline(__always)
  package var start: UnsafePointer<Element> { required(baseAddress) }
}

extension UnsafeMutableBufferPointer {
  /// The address of the first element. Traps if the buffer is empty.
  @inline(__always)
  package var start: UnsafeMutablePointer<Element> { required(baseAddress) }
}

extension UnsafeRawBufferPointer {
  /// The address of the first byte. Traps if the buffer is empty.
  @inline(__always)
  package var start: UnsafeRawPointer { required(baseAddress) }
}

extension UnsafeMutableRawBufferPointer {
  /// The address of the first byte. Traps if the buffer is empty.
  @inline(__always)
  package var start: UnsafeMutableRawPointer { required(baseAddress) }
}

/// Unwraps the address of a buffer. Traps if the address is nil, which means that the buffer is empty.
@inline(__always)
private func required<Pointer>(_ address: Pointer?) -> Pointer {
  guard let address else { preconditionFailure("an empty buffer has no first element") }
  return address
}

/// Calls `body` with the addresses of the first elements of two arrays. Neither array may be empty.
@inline(__always)
func withStarts<Element>(
  _ first: [Element], _ second: [Element], _ body: (UnsafePointer<Element>, UnsafePointer<Element>) -> Void
) {
  first.withUnsafeBufferPointer { first in
    second.withUnsafeBufferPointer { second in body(first.start, second.start) }
  }
}
