/// Times of kernels on one machine, measured by `blurbench tune`: what ``Chooser`` chooses by.
///
/// A file of it is JSON that a person can read, see ``WisdomFile``.
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
  public var workloads: [Workload]

  static let format = "blur-wisdom"
  static let version = 1

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

  /// An image size, format, sigma, edge mode and number of threads, and the kernels that were timed on it.
  public struct Workload: Codable, Hashable, Sendable {
    public var format: String
    /// In pixels.
    public var width: Int, height: Int
    /// Standard deviation in pixels.
    public var sigma: Double
    /// The name of the edge mode.
    public var edge: String
    public var threads: Int
    public var times: [Time]
    /// True where somebody else slowed the machine down throughout, so that `tune` measures it again; else nil.
    public var disturbed: Bool?

    /// Makes a workload.
    public init(
      format: PixelFormat, width: Int, height: Int, sigma: Double, edge: String = "clamp", threads: Int = 1,
      times: [Time] = []
    ) {
      self.format = format.rawValue
      self.width = width
      self.height = height
      self.sigma = sigma
      self.edge = edge
      self.threads = threads
      self.times = times
    }

    /// Whether both are of the same images, sigma and threads.
    public func isSame(as other: Workload) -> Bool { question == other.question }
  }

  /// A kernel with an instruction set, and its time.
  public struct Time: Codable, Hashable, Sendable {
    public var kernel: String, isa: String
    /// Wall time of a blur in nanoseconds.
    public var ns: Double
    /// The error that the kernel promises not to exceed in this format, in levels. For readers: a choice goes by
    /// the promise of the kernel itself.
    public var within: Double?

    /// Makes a time.
    public init(kernel: String, isa: String, ns: Double, within: Double? = nil) {
      self.kernel = kernel
      self.isa = isa
      self.ns = ns
      self.within = within
    }
  }

  /// Makes wisdom of a processor.
  public init(_ processor: Processor, date: String, workloads: [Workload] = []) {
    machine = Machine(processor)
    self.date = date
    self.workloads = workloads
  }

  /// Takes in what others measured: workloads that are here already are replaced.
  public mutating func merge(_ others: [Workload]) {
    var places: [Workload: Int] = [:]
    for (index, workload) in workloads.enumerated() { places[workload.question] = index }
    for other in others {
      if let place = places[other.question] {
        workloads[place] = other
      } else {
        places[other.question] = workloads.count
        workloads.append(other)
      }
    }
  }
}

extension Wisdom.Workload {
  /// The workload without what was found out about it.
  package var question: Self {
    var copy = self
    (copy.times, copy.disturbed) = ([], nil)
    return copy
  }
}

extension Registry {
  /// Changes with the kernels: their list, and by hand whenever one becomes much faster or slower. Times of
  /// another revision are not believed.
  public static let revision: String = {
    let list = kernels.map { "\($0.name):\($0.instructionSets.map(\.name))" }.joined(separator: ",")
    return "\(pace).\(WordHash(of: list).digits.prefix(8))"
  }()

  /// The number that is counted up by hand.
  private static let pace = 2
}
