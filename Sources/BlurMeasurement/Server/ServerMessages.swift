import BlurRecords
import BlurVerification

/// A request to a server, which is a process that runs kernels. A request is sent as one line of JSON. The
/// server answers each request with at least one ``ServerReply``.
public enum ServerRequest: Codable, Sendable {
  /// Asks for the descriptions of the external kernels.
  case describe
  /// Checks one property of one kernel. The options are those of `blurbench verify`. A plain check only
  /// reports a failure, without searching for a smaller image and without drawing a picture.
  case check(options: [String], isPlain: Bool)
  /// Computes the largest errors that a kernel can make. The options are those of `blurbench certify`.
  case certify(options: [String])
  /// Draws the results of several kernels as one picture. The options are those of `blurbench picture`.
  case draw(options: [String])
  /// Measures jobs. Each job is a list of the names of its cases.
  case measure(jobs: [[String]], options: RunnerOptions)
  /// Prepares a case for timing and stores it in a slot.
  case open(slot: Int, BenchRequest)
  /// Times the case in a slot.
  case time(slot: Int, iterations: Int)
  /// Counts the instructions of one blur of the case in a slot.
  case count(slot: Int)
  /// Empties a slot.
  case close(slot: Int)
  /// Asks which build of the program is running.
  case identify
  /// Ends the process. There is no reply.
  case end

  /// The version of the requests and replies. When a server starts, it sends this number before anything
  /// else. If the number is not this program's own, the connection fails with an error.
  public static let version = 2

  /// The number of seconds after which the waiting process looks again whether the server hangs, and shows
  /// the progress. While times are measured, it should wake up rarely, so that it does not disturb them.
  var interval: Double { if case .check = self { 0.1 } else { 1 } }

  /// Whether the server also does long work in which no kernel runs, such as painting test images. During
  /// such work, no time limit applies.
  var hasPauses: Bool { if case .measure = self { true } else { false } }
}

/// A reply to a request, sent as one line of JSON. The last reply to a request is an answer or a failure.
enum ServerReply<Value> {
  /// A part of the results, sent as soon as it is known.
  case part(Value)
  case answer(Value)
  /// The reason why the request could not be carried out.
  case failure(String)
}

extension ServerReply: Encodable where Value: Encodable {}
extension ServerReply: Decodable where Value: Decodable {}

/// The reply to ``ServerRequest/check(options:isPlain:)``.
struct CheckReply: Codable {
  /// The parameters that the kernel supports, or nil if the property does not depend on them.
  var support: KernelSupport?
  /// A summary of the checks, or nil if they have not ended. A failure is sent as soon as it is found, and is
  /// sent again after each further step: after drawing it, and after finding a smaller image.
  var row: VerificationSummary?
}

/// The answer to ``ServerRequest/close(slot:)``.
public struct CloseAnswer: Codable {
  /// The error that occurred while the case was timed, or nil if there was none.
  public let violation: String?

  /// Creates an answer.
  public init(violation: String?) { self.violation = violation }
}

/// The answer to ``ServerRequest/identify``: the hash of the program and, if it is known, the git revision of
/// its sources.
public struct IdentityAnswer: Codable {
  let program: String, revision: String?

  /// Creates an answer about the build that is running.
  public init() {
    let build = BuildIdentity.current()
    (program, revision) = (build.hash, build.revision)
  }
}

/// A description of how a server process ended before it answered.
public struct ServerEnd {
  /// The reason in words. `verify` compares it to find out whether two processes ended in the same way, so it
  /// contains no addresses.
  let reason: String
  /// A description of the memory access that ended the process, if it is known.
  var fault: String?
  /// The last line that the process wrote to its standard error, if it was recorded.
  var lastLine: String?
  /// Whether the process was killed because it did not answer.
  var isHanging = false
  /// The number of the case or check that was running, and the number of the one that ran last. Each is 0 if
  /// there is none.
  var current = 0, last = 0

  /// The description as one line of text.
  public var text: String {
    reason + (fault.map { ": \($0)" } ?? "") + (lastLine.map(Self.told) ?? "")
      + (isOfHeap ? "; \(Self.heapHint)" : "")
  }

  /// Returns the end of an error message, which quotes the last line that the process wrote to its standard
  /// error. If the line contains `what():`, it was printed by the C++ runtime because of an uncaught
  /// exception.
  private static func told(_ line: String) -> String {
    guard let exception = line.firstMatch(of: /what\(\): +(.*)/) else {
      return "; its last message was '\(line)'"
    }
    return "; the kernel did not catch a C++ exception: \(exception.1)"
  }

  /// Whether the last line of the standard error is a message of glibc's memory allocator about a damaged
  /// heap. The allocator prints such a message before it ends the process.
  private var isOfHeap: Bool {
    let words = #/^(free|malloc|realloc|malloc_consolidate|munmap_chunk)\(\): |^corrupted |^double free /#
    return lastLine?.firstMatch(of: words) != nil
  }

  private static let heapHint =
    "the heap was damaged. If the kernel wrote outside an image, `--property guards` shows the place. If it "
    + "wrote outside a buffer of its own, a build with `-fsanitize=address` shows the place"
}
