/// A description of how a server process ended before it answered.
public struct ServerEnd: Sendable {
  /// The reason in words. `verify` compares it to find out whether two processes ended in the same way, so it
  /// contains no addresses.
  package let reason: String
  /// A description of the memory access that ended the process, if it is known.
  var fault: String?
  /// The last line that the process wrote to its standard error, if it was recorded.
  var lastLine: String?
  /// Whether the process was killed because it did not answer.
  package var isHanging = false
  /// The number of the case or check that was running, and the number of the case or check that ran last.
  /// Each is 0 if there is none.
  package var current = 0, last = 0

  package init(_ reason: String, isHanging: Bool = false, last: Int = 0) {
    (self.reason, self.isHanging, self.last) = (reason, isHanging, last)
  }

  /// The description as one line of text.
  public var text: String {
    reason + (fault.map { ": \($0)" } ?? "") + (lastLine.map(Self.told) ?? "")
      + (isOfHeap ? "; \(Self.heapHint)" : "")
  }

  /// Returns the end of an error message, which quotes the last line of the standard error. The C++ runtime
  /// prints `what():` if an exception is not caught.
  private static func told(_ line: String) -> String {
    guard let exception = line.firstMatch(of: /what\(\): +(.*)/) else {
      return "; its last message was '\(line)'"
    }
    return "; the kernel did not catch a C++ exception: \(exception.1)"
  }

  /// Whether the last line of the standard error is glibc's message about a damaged heap.
  private var isOfHeap: Bool {
    let words = #/^(free|malloc|realloc|malloc_consolidate|munmap_chunk)\(\): |^corrupted |^double free /#
    return lastLine?.firstMatch(of: words) != nil
  }

  private static let heapHint =
    "the heap was damaged. If the kernel wrote outside an image, `--property guards` shows the place. If it "
    + "wrote outside a buffer of its own, a build with `-fsanitize=address` shows the place"
}
