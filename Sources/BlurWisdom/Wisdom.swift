import Blur

/// Times of exact problems on one machine, as `blurbench tune` measures them: what ``Chooser`` asks first.
///
/// A file of it is JSON, see ``WisdomFile``.
public struct Wisdom: Codable, Hashable, Sendable {
  /// The word by which a file is known as wisdom: `blur-wisdom`.
  public var format = Self.format
  /// The version of the file's layout; files of another version are refused.
  public var version = Self.version
  /// The kernels that were timed, see ``Registry/revision``; wisdom of another revision is refused.
  public var revision = Registry.revision
  /// The machine that the times are of; wisdom of another one is refused.
  public var machine: Machine
  /// When a time was last added, in UTC, as in `2026-11-21T14:31:07Z`.
  public var date: String
  /// The problems that were timed, each once, in the order in which they were added.
  public var problems: [Problem]

  static let format = "blur-wisdom"
  static let version = 2

  /// A processor, as the file names it.
  public struct Machine: Codable, Hashable, Sendable {
    /// A hash of what follows, see ``Processor/key``: times of equal keys may be compared.
    public var key: String
    /// The CPU's name.
    public var model: String
    /// How many CPUs the process that measured might use.
    public var cores: Int
    /// The name of the widest instruction set, such as `avx2`.
    public var isa: String

    /// Writes down a processor.
    public init(_ processor: Processor) {
      key = processor.key
      model = processor.model
      cores = processor.cores
      isa = processor.isa.name
    }
  }

  /// An image's layout, sigma, edge mode and number of threads, and the kernels that were timed on it.
  public struct Problem: Codable, Hashable, Sendable {
    /// The name of the pixel format, such as `rgba8`.
    public var format: String
    /// The image's size in pixels.
    public var width: Int, height: Int
    /// Bytes from row to row; nil where rows follow each other without padding.
    public var stride: Int?
    /// Standard deviations along a row and along a column, in pixels.
    public var sigmaX: Double, sigmaY: Double
    /// The name of the edge mode, such as `clamp`; that of the constant mode stands for any constant.
    public var edge: String
    /// How many threads worked on one image, from 1 to 1024.
    public var threads: Int
    /// The kernels that were timed, in any order.
    public var times: [Time]
    /// True where other programs slowed the machine down throughout, so that `tune` measures it again; else
    /// nil.
    public var noisy: Bool?

    /// Writes down a problem and its times.
    public init(_ problem: MeasuredProblem, times: [Time] = []) {
      let layout = problem.layout
      format = layout.format.rawValue
      (width, height, threads) = (layout.width, layout.height, problem.threads)
      stride = layout.stride == layout.rowBytes ? nil : layout.stride
      (sigmaX, sigmaY) = (problem.sigma.x, problem.sigma.y)
      edge = problem.edge.name
      self.times = times
    }

    /// The problem as ``Chooser`` asks for it; nil for numbers or names that cannot be.
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
    /// The kernel's name, such as `pyramid`.
    public var kernel: String
    /// The name of the instruction set that it ran with, such as `avx2`.
    public var isa: String
    /// The wall time of one blur in nanoseconds; a file with one below 10⁻³ or above 10¹⁵ is refused.
    public var ns: Double
    /// The error that the kernel promises not to exceed in this format, in levels. For readers: a choice goes
    /// by the promise of the kernel itself.
    public var within: Double?

    /// Makes a time from its parts.
    public init(kernel: String, isa: String, ns: Double, within: Double? = nil) {
      (self.kernel, self.isa, self.ns, self.within) = (kernel, isa, ns, within)
    }
  }

  /// Makes wisdom of a processor and of the kernels of this library.
  ///
  /// - Parameter date: now, in UTC, as in `2026-11-21T14:31:07Z`.
  public init(_ processor: Processor, date: String, problems: [Problem] = []) {
    machine = Machine(processor)
    self.date = date
    self.problems = problems
  }

  /// Takes in other problems; each takes the place of an equal one that is here, with all its times.
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

  /// Puts all times into a table, in place of those that it has of the same problems. Instruction sets and
  /// problems that mean nothing here are left out; a kernel that is not in the list is never chosen.
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
