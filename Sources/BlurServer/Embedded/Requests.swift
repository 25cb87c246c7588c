import Blur

// Version 4 of the protocol between `blurbench` and a target, which is a program that runs kernels on another
// machine or in an emulator. `blurbench` sends one request at a time, and the target answers this request.
// The messages use the target's standard input and output, so that a pipe, an emulator or ssh can carry them.
//
// Each message begins with its length in bytes. The second field of a request is the kind of the request, and
// the second field of an answer is the status. docs/dev/PROTOCOL.md lists all fields.

/// The kinds of requests that `blurbench` can send to a target.
public enum RequestKind: UInt64 {
  /// Asks for the kernels of the target. The answer begins with ``TargetProtocol/name`` and the version.
  case hello
  /// Makes a plan from a ``PlanRequest``. The answer contains a number that identifies the plan in later
  /// requests, and facts about the plan, such as the part of the image that the plan reads.
  case plan
  /// Blurs an image with a plan. The answer holds the time in nanoseconds and the result.
  case blur
  /// Frees a plan.
  case forget
}

/// The status at the start of an answer.
public enum AnswerStatus: UInt64 {
  case done
  /// The kernel does not support the request. A string with the reason follows.
  case refused
  /// The request failed. A string with the cause follows.
  case failed
}

/// The constants that `blurbench` and the target must agree on.
public enum TargetProtocol {
  /// The name with which a target begins its answer to `hello`. The name shows that the user's command has
  /// started a target and not some other program.
  public static let name = "blur-worker"
  public static let version = 4
  /// The largest number of bytes in a message.
  public static let mostBytes = 1 << 30
  /// The alignment of image buffers, in bytes. A request to blur states how many bytes after an aligned
  /// address the target must place the first pixel.
  public static let alignment = 64
}

/// A request to make a plan. It names a kernel and describes the problem that the plan must solve, for
/// example the image size and sigma.
public struct PlanRequest: Sendable {
  /// The name of the kernel.
  public let kernel: String
  /// The problem that the plan must solve.
  public let problem: BlurProblem
  /// Whether the blurs of the plan will be timed. If they will not be timed, the target fills the scratch
  /// memory with garbage before each call of the kernel, and checks that the kernel does not write beyond the
  /// end of this memory.
  public let isTimed: Bool

  /// Creates a request for a plan.
  public init(kernel: String, problem: BlurProblem, isTimed: Bool) {
    self.kernel = kernel
    self.problem = problem
    self.isTimed = isTimed
  }

  /// Appends the fields of this request to a message.
  public func write(to message: inout MessageWriter) {
    message.add(kernel)
    message.add(problem.layout.format.rawValue)
    message.add(problem.layout.width)
    message.add(problem.layout.height)
    message.add(problem.sigma.x)
    message.add(problem.sigma.y)
    message.add(problem.edge.name)
    var constant = SIMD4<Float>.zero
    if case .constant(let value) = problem.edge { constant = value }
    for channel in 0..<4 { message.add(Double(constant[channel])) }
    message.add(problem.region)
    message.add(problem.instructionSet.name)
    message.add(problem.threads)
    message.add(isTimed)
  }

  /// Creates a request by reading its fields from a message.
  ///
  /// - Throws: ``ServedFailure/failed(_:)`` if a field is missing or invalid, or is not supported on this
  ///   machine.
  public init(from message: inout MessageReader) throws(ServedFailure) {
    do throws(WireError) {
      kernel = try message.text()
      let format = try message.text()
      let (width, height) = (try message.number(), try message.number())
      let (x, y) = (try message.double(), try message.double())
      let edge = try message.text()
      var constant = SIMD4<Float>.zero
      for channel in 0..<4 { constant[channel] = Float(try message.double()) }
      let region = try message.region()
      let (set, threads) = (try message.text(), try message.number())
      isTimed = try message.flag()
      problem = try Self.problem(format, width, height, x, y, edge, constant, region, set, threads)
    } catch {
      throw .failed(error.description)
    }
  }

  private static func problem(
    _ formatName: String, _ width: Int, _ height: Int, _ x: Double, _ y: Double, _ edgeName: String,
    _ constant: SIMD4<Float>, _ region: Region, _ setName: String, _ threads: Int
  ) throws(WireError) -> BlurProblem {
    guard let format = PixelFormat.allCases.first(where: { $0.rawValue == formatName }) else {
      throw WireError("format \(formatName) is not known here")
    }
    guard let edge = EdgeMode(name: edgeName) else { throw WireError("edge \(edgeName) is not known here") }
    guard let set = InstructionSet.available.first(where: { $0.name == setName }) else {
      throw WireError("instruction set \(setName) is not available here")
    }
    guard (1...1024).contains(threads) else { throw WireError("\(threads) threads: must be from 1 to 1024") }
    do throws(BlurError) {
      let layout = try ImageLayout(format, width: width, height: height)
      guard region.fits(layout) else { throw .invalidRegion(region, layout) }
      return BlurProblem(
        layout, sigma: try Sigma(x: x, y: y), edge: edge == .transparent ? .constant(constant) : edge,
        region: region, instructionSet: set, threads: threads)
    } catch {
      throw WireError(error.description)
    }
  }
}

/// The reason why a target could not do what was requested.
public enum ServedFailure: Error, Equatable {
  /// The kernel does not support the request.
  case refused(String)
  /// The request failed.
  case failed(String)

  init(_ error: BlurError) {
    if case .unsupported(_, let reason) = error {
      self = .refused(reason)
    } else if case .failed(_, let reason) = error {
      self = .failed(reason)
    } else {
      self = .failed(error.description)
    }
  }

  /// The reason for the failure as text.
  public var text: String {
    switch self {
    case .refused(let text), .failed(let text): text
    }
  }
}
