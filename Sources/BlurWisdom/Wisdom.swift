import Blur

/// Times of exact problems on one machine, as `blurbench tune` measures them: what ``Chooser`` asks first.
///
/// A file of it is JSON, see ``WisdomFile``.
public struct Wisdom: Codable, Hashable, Sendable {
  /// What the file says it is.
  public var format = Self.format
  /// The version of its layout.
  public var version = Self.version
  /// The kernels that were timed, see ``Registry/revision``.
  public var revision = Registry.revision
  /// Where they were timed.
  public var machine: Machine
  /// When a time was last added, as in ISO 8601.
  public var date: String
  /// What was timed.
  public var problems: [Problem]

  static let format = "blur-wisdom"
  static let version = 2

  /// A processor, and its key.
  public struct Machine: Codable, Hashable, Sendable {
    public var key: String, model: String, cores: Int, isa: String

    /// Describes a processor.
    public init(_ processor: Processor) {
      key = processor.key
      model = processor.model
      cores = processor.cores
      isa = processor.isa.name
    }
  }

  /// An image's layout, sigma, edge mode and number of threads, and the kernels that were timed on it.
  public struct Problem: Codable, Hashable, Sendable {
    public var format: String
    /// In pixels.
    public var width: Int, height: Int
    /// Bytes from row to row; nil where rows follow each other without padding.
    public var stride: Int?
    /// Standard deviations along a row and along a column, in pixels.
    public var sigmaX: Double, sigmaY: Double
    /// The name of the edge mode.
    public var edge: String
    public var threads: Int
    public var times: [Time]
    /// True where other programs slowed the machine down throughout, so that `tune` measures it again; else
    /// nil.
    public var noisy: Bool?

    /// Writes down what was measured of a problem.
    public init(_ problem: MeasuredProblem, times: [Time] = []) {
      let layout = problem.layout
      format = layout.format.rawValue
      (width, height, threads) = (layout.width, layout.height, problem.threads)
      stride = layout.stride == layout.rowBytes ? nil : layout.stride
      (sigmaX, sigmaY) = (problem.sigma.x, problem.sigma.y)
      edge = problem.edge.name
      self.times = times
    }

    /// What was measured; nil for numbers or names that cannot be.
    public var measured: MeasuredProblem? {
      guard let format = PixelFormat(rawValue: format), let edge = EdgeMode(name: edge),
        let layout = try? ImageLayout(format, width: width, height: height, stride: stride),
        (1...1024).contains(threads), let sigma = try? Sigma(x: sigmaX, y: sigmaY)
      else { return nil }
      return MeasuredProblem(layout, sigma: sigma, edge: edge, threads: threads)
    }
  }

  /// A kernel with an instruction set, and its time.
  public struct Time: Codable, Hashable, Sendable {
    public var kernel: String, isa: String
    /// Wall time of a blur in nanoseconds.
    public var ns: Double
    /// The error that the kernel promises not to exceed in this format, in levels. For readers: a choice goes
    /// by the promise of the kernel itself.
    public var within: Double?

    /// Makes a time.
    public init(kernel: String, isa: String, ns: Double, within: Double? = nil) {
      (self.kernel, self.isa, self.ns, self.within) = (kernel, isa, ns, within)
    }
  }

  /// Makes wisdom of a processor.
  public init(_ processor: Processor, date: String, problems: [Problem] = []) {
    machine = Machine(processor)
    self.date = date
    self.problems = problems
  }

  /// Takes in other measurements: problems that are here already are replaced.
  public mutating func merge(_ others: [Problem]) {
    var places: [MeasuredProblem?: Int] = [:]
    for (index, problem) in problems.enumerated() { places[problem.measured] = index }
    for other in others {
      if let place = places[other.measured] {
        problems[place] = other
      } else {
        places[other.measured] = problems.count
        problems.append(other)
      }
    }
  }

  /// Puts all times into a table. Kernels and instruction sets that mean nothing here are left out.
  public func record(in table: MeasuredTimes) {
    for problem in problems {
      guard let measured = problem.measured else { continue }
      let times = problem.times.compactMap { time in
        InstructionSet(rawValue: time.isa).map {
          KernelTime(kernel: time.kernel, instructionSet: $0, nanoseconds: time.ns)
        }
      }
      table.record(times, of: measured)
    }
  }
}
