/// A description of how a server process ended before it answered.
public struct ServerEnd: Sendable {
  /// The reason in words. The text contains no addresses, because `verify` compares the reasons of two
  /// processes to find out whether both ended in the same way.
  package let reason: String
  /// A description of the memory access that ended the process, if it is known.
  var fault: String?
  /// The last line that the process wrote to its standard error, if it was recorded.
  var lastLine: String?
  /// Whether the process was killed because it did not answer.
  package var isHanging = false
  /// The number of the case or check that was running when the process ended, and the number of the case or
  /// check that had run last. A number is 0 if there is no such case or check.
  package var current = 0, last = 0

  package init(_ reason: String, isHanging: Bool = false, last: Int = 0) {
    (self.reason, self.isHanging, self.last) = (reason, isHanging, last)
  }

  /// The description as one line of text.
  public var text: String {
    reason + (fault.map { ": \($0)" } ?? "") + (lastLine.map(Self.told) ?? "")
      + (isOfHeap ? "; \(Self.heapHint)" : "")
  }

  /// Returns the part of the error message that quotes the last line of the standard error. If this line
  /// contains `what():`, the C++ runtime has printed the line because of an exception that was not caught.
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
