import Blur

/// The measured times of kernels for particular blur problems, such as one image size with one sigma.
/// `blurbench tune` measures these times on one machine.
///
/// ``Chooser`` looks up these times when it chooses a kernel, and falls back on estimates if there are none.
/// ``WisdomFile`` stores the times as JSON.
public struct Wisdom: Codable, Hashable, Sendable {
  /// The marker that identifies a JSON file as wisdom: `blur-wisdom`.
  public var format = Self.format
  /// The version of the file's layout. Files of another version are rejected.
  public var version = Self.version
  /// The ``Registry/revision`` of the kernels that were timed. Files of another revision are rejected.
  public var revision = Registry.revision
  /// The machine on which the times were measured. Files from another machine are rejected.
  public var machine: ProcessorDescription
  /// The time at which a problem was last added, in UTC, such as `2026-11-21T14:31:07Z`.
  public var date: String
  /// The problems that were timed, without duplicates, in the order in which they were added.
  public var problems: [Problem]

  static let format = "blur-wisdom"
  static let version = 2

  /// The description of a processor in a wisdom file.
  public struct ProcessorDescription: Codable, Hashable, Sendable {
    /// The ``Processor/key`` of the processor, a hash of the other properties. Times with equal keys can be
    /// compared.
    public var key: String
    /// The CPU's name.
    public var model: String
    /// The number of CPUs that the measuring process was allowed to use.
    public var cores: Int
    /// The name of the widest instruction set that the processor supports, such as `avx2`.
    public var isa: String

    /// Creates the description that is stored for a processor.
    public init(_ processor: Processor) {
      key = processor.key
      model = processor.model
      cores = processor.cores
      isa = processor.isa.name
    }
  }

  /// One blur problem (image layout, sigma, edge mode and number of threads) and the times of kernels on it.
  public struct Problem: Codable, Hashable, Sendable {
    /// The name of the pixel format, such as `rgba8`.
    public var format: String
    /// The image's size in pixels.
    public var width: Int, height: Int
    /// The number of bytes between the starts of adjacent rows, or nil if the rows have no padding.
    public var stride: Int?
    /// The standard deviations along rows and along columns, in pixels.
    public var sigmaX: Double, sigmaY: Double
    /// The name of the edge mode, such as `clamp`. The mode with a constant colour is named `constant`,
    /// whatever the colour is.
    public var edge: String
    /// The number of threads that worked on one image, from 1 to 1024.
    public var threads: Int
    /// The times of the kernels, in any order.
    public var times: [Time]
    /// True if other programs slowed down the machine during the whole measurement of this blur problem, and
    /// nil otherwise. `blurbench tune` measures the problem again if it is true.
    public var noisy: Bool?

    /// Creates the stored form of a problem and its times.
    package init(_ problem: MeasuredProblem, times: [Time] = []) {
      let layout = problem.layout
      format = layout.format.rawValue
      (width, height, threads) = (layout.width, layout.height, problem.threads)
      stride = layout.stride == layout.rowBytes ? nil : layout.stride
      (sigmaX, sigmaY) = (problem.sigma.x, problem.sigma.y)
      edge = problem.edge.name
      self.times = times
    }

    /// This problem as a ``MeasuredProblem``, which is the key for looking up measured times. It is nil if a
    /// name or a number of the problem is invalid.
    package var measured: MeasuredProblem? {
      guard let format = PixelFormat(rawValue: format), let edge = EdgeMode(name: edge),
        let layout = try? ImageLayout(format, width: width, height: height, stride: stride),
        (1...1024).contains(threads), let sigma = try? Sigma(x: sigmaX, y: sigmaY)
      else { return nil }
      return MeasuredProblem(layout, sigma: sigma, edge: edge, threads: threads)
    }
  }

  /// The time of one kernel with one instruction set.
  public struct Time: Codable, Hashable, Sendable {
    /// The kernel's name, such as `pyramid`.
    public var kernel: String
    /// The name of the instruction set that the kernel used, such as `avx2`.
    public var isa: String
    /// The wall time of one blur in nanoseconds. A file with a time below 10⁻³ or above 10¹⁵ is rejected.
    public var ns: Double
    /// The largest error that the kernel promises for this format, in levels. A level is 1/255 of full scale.
    ///
    /// This number only informs people who read the file. Kernels are chosen by the promise in the code.
    public var within: Double?

    /// Creates a time from its components.
    public init(kernel: String, isa: String, ns: Double, within: Double? = nil) {
      (self.kernel, self.isa, self.ns, self.within) = (kernel, isa, ns, within)
    }
  }

  /// Creates wisdom for a processor and the kernels of this library.
  ///
  /// - Parameter date: The current time in UTC, such as `2026-11-21T14:31:07Z`.
  public init(_ processor: Processor, date: String, problems: [Problem] = []) {
    machine = ProcessorDescription(processor)
    self.date = date
    self.problems = problems
  }

  /// Adds blur problems with their measured times. If a problem is already present, its old times are
  /// discarded.
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

  /// Stores the times of all problems in a table, replacing the times that the table has for the same
  /// problems.
  ///
  /// Problems and instruction sets unknown to this library are skipped. Times of unknown kernels are stored,
  /// but such kernels are never chosen.
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
