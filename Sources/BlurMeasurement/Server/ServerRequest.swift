import Blur
import BlurRecords
import BlurVerification

/// A request to a server, which is a process that runs kernels.
public enum ServerRequest: Codable, Sendable {
  /// Asks for the descriptions of the external kernels.
  case describe
  /// Checks one property of one kernel.
  case check(CheckRequest)
  /// Computes the largest error that a kernel can have with the given parameters, unless the computation
  /// would take longer than `limit` seconds.
  case certify(kernel: String, VerificationRun, limit: Double)
  /// Draws the results of several kernels as one picture.
  case draw(PictureRequest)
  /// Measures jobs.
  case measure(jobs: [Job], options: RunnerOptions)
  /// Prepares a case for timing and stores it in a slot.
  case open(slot: Int, BenchRequest)
  /// Times the case in a slot.
  case time(slot: Int, iterations: Int)
  /// Counts the instructions of one blur of the case in a slot.
  case count(slot: Int)
  /// Empties a slot. The answer is the error that occurred while its case was timed, or nil if there was no
  /// error.
  case close(slot: Int)
  /// Asks which build of the program is running. The answer is a line of text.
  case identify
}

/// A request to check one property of one kernel.
public struct CheckRequest: Codable, Sendable {
  /// The names of the kernel and of the property.
  public var kernel = "", property = ""
  /// The parameters and settings of the checks.
  public var run: VerificationRun
  /// The paths of two folders. `goldens` holds the stored results with which the outputs are compared.
  /// Pictures of failures are written to `pictures`.
  public let goldens: String, pictures: String
  /// Whether a failure is only reported, without a search for a smaller image and without a picture.
  var isPlain = false

  /// Creates a request. The caller sets the names of the kernel and of the property later.
  public init(_ run: VerificationRun, goldens: String, pictures: String) {
    (self.run, self.goldens, self.pictures) = (run, goldens, pictures)
  }
}

/// A request to draw the results of several kernels as one picture.
public struct PictureRequest: Codable, Sendable {
  /// The names of the kernels.
  public let kernels: [String]
  /// The path of the picture to blur, or nil for a generated picture.
  public let input: String?
  public let sigma: Sigma
  /// The name of the edge mode.
  public let edge: String
  /// The path of the picture to write.
  public let output: String

  /// Creates a request.
  public init(kernels: [String], input: String?, sigma: Sigma, edge: EdgeMode, output: String) {
    (self.kernels, self.input, self.sigma, self.output) = (kernels, input, sigma, output)
    self.edge = edge.name
  }
}
