import Blur

// The protocol, version 3. The harness sends a request, the worker answers it, one after the other, on the
// worker's standard input and output, so that a pipe, an emulator or ssh carries it. Each message begins with
// the number of the bytes that follow; a request goes on with its kind, an answer with its status.
// docs/PORTS.md lists the fields.

/// What the harness asks for.
public enum RequestKind: UInt64 {
  /// Which kernels there are; the answer begins with ``WorkerProtocol/name`` and the version.
  case hello
  /// Plans a ``PlanRequest``; the answer is the plan's number and its facts.
  case plan
  /// Blurs an image by a plan; the answer is the result, and how many nanoseconds it took.
  case blur
  /// Frees a plan.
  case forget
}

/// How an answer begins.
public enum AnswerStatus: UInt64 {
  case done
  /// The kernel does not do this; a text says why.
  case refused
  /// Something went wrong; a text says what.
  case failed
}

/// What both sides must agree on.
public enum WorkerProtocol {
  /// The first word of a worker, so that other programs are found out.
  public static let name = "blur-worker"
  public static let version = 3
  /// No message is longer than this.
  public static let mostBytes = 1 << 30
  /// Buffers are aligned to this; a request says how many bytes after such an address its pixels begin.
  public static let alignment = 64
}

/// A kernel, and what it is planned for.
public struct PlanRequest: Sendable {
  /// The kernel's name.
  public let kernel: String
  /// What it plans for.
  public let problem: BlurProblem
  /// Whether times are wanted: otherwise scratch holds garbage, and what is written beyond it is noticed.
  public let isTimed: Bool

  /// Asks for a plan.
  public init(kernel: String, problem: BlurProblem, isTimed: Bool) {
    self.kernel = kernel
    self.problem = problem
    self.isTimed = isTimed
  }

  /// Adds the request to a message.
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

  /// Reads a request from a message.
  public init(from message: inout MessageReader) throws(WorkerFailure) {
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

/// Why a request was not done.
public enum WorkerFailure: Error, Equatable {
  /// The kernel does not do this.
  case refused(String)
  /// Something went wrong.
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
}
