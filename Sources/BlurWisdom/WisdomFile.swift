/// Files of wisdom: where they are, and what is accepted.
public enum WisdomFile {
  /// Files with more bytes are refused.
  public static let mostBytes = 16 << 20
  /// Files with more workloads, or more times of one, are refused.
  public static let mostWorkloads = 20_000, mostTimes = 256

  /// Why a file is not used. Each message says how to get a good one.
  public enum Problem: Error, Hashable, Sendable, CustomStringConvertible {
    /// There is no file.
    case missing(path: String)
    /// The system refuses it, or it is no wisdom, and why.
    case unusable(path: String, reason: String)
    /// It was measured on another machine.
    case foreign(path: String, model: String)
    /// It was measured with other kernels.
    case stale(path: String, revision: String)

    /// One line for a person.
    public var description: String {
      switch self {
      case .missing(let path): "\(path): no such file; \(Self.make(path))"
      case .unusable(let path, let reason): "\(path): \(reason); \(Self.make(path, "--renew "))"
      case .foreign(let path, let model):
        "\(path): measured on another machine (\(model)); \(Self.make(path, "--renew "))"
      case .stale(let path, let revision):
        "\(path): measured with other kernels (revision \(revision), these are \(Registry.revision)); "
          + Self.make(path, "--renew ")
      }
    }

    private static func make(_ path: String, _ options: String = "") -> String {
      "'blurbench tune \(options)--output \(path)' makes it"
    }
  }

  /// The file that the environment names: `BLUR_WISDOM`, else `blur/wisdom.json` in the user's folder of
  /// configurations; nil where wisdom is switched off by `BLUR_WISDOM=none`, or there is no such folder.
  public static var path: String? {
    path(SystemFile.environment)
  }

  static func path(_ environment: (String) -> String?) -> String? {
    if let named = environment("BLUR_WISDOM") { return named == "none" ? nil : named }
    let folder = environment("XDG_CONFIG_HOME") ?? environment("HOME").map { $0 + "/.config" }
    return folder.map { $0 + "/blur/wisdom.json" }
  }

  /// Reads a file, of any machine and revision.
  ///
  /// - Throws: ``Problem/missing(path:)``, ``Problem/unusable(path:reason:)``.
  public static func read(_ path: String) throws(Problem) -> Wisdom {
    let bytes: [UInt8]
    do throws(SystemFile.Failure) { bytes = try SystemFile.bytes(at: path, limit: mostBytes + 1) } catch {
      switch error {
      case .missing: throw .missing(path: path)
      case .refused(let reason): throw .unusable(path: path, reason: "cannot be read: \(reason)")
      }
    }
    return try parse(bytes, path: path)
  }

  /// Reads the bytes of a file; every number in it is then one that can be reckoned with.
  ///
  /// - Throws: ``Problem/unusable(path:reason:)``.
  public static func parse(_ bytes: [UInt8], path: String) throws(Problem) -> Wisdom {
    let unusable = { Problem.unusable(path: path, reason: $0) }
    guard bytes.count <= mostBytes else { throw unusable("has more than \(mostBytes >> 20) MiB") }
    guard let wisdom = JSONReader.value(of: bytes).flatMap(Wisdom.init(json:)) else {
      throw unusable("is no wisdom, or damaged")
    }
    guard wisdom.format == Wisdom.format, wisdom.version == Wisdom.version else {
      throw unusable("has another layout (version \(wisdom.version), known is \(Wisdom.version))")
    }
    guard wisdom.workloads.count <= mostWorkloads else {
      throw unusable("has more than \(mostWorkloads) workloads")
    }
    if let bad = wisdom.workloads.firstIndex(where: { !$0.isSound }) {
      throw unusable("workload \(bad + 1) has numbers or names that cannot be")
    }
    return wisdom
  }

  /// The wisdom of a file, if it is of this machine and of these kernels.
  ///
  /// - Throws: a ``Problem`` that says why it is not to be used.
  public static func load(
    _ path: String, for processor: Processor = .current, revision: String = Registry.revision
  ) throws(Problem) -> Wisdom {
    let wisdom = try read(path)
    guard wisdom.machine.key == processor.key else {
      throw .foreign(path: path, model: Self.shown(wisdom.machine.model))
    }
    guard wisdom.revision == revision else {
      throw .stale(path: path, revision: Self.shown(wisdom.revision))
    }
    return wisdom
  }

  /// What a file says, as it may stand in a message on a terminal.
  private static func shown(_ text: String) -> String {
    String(
      text.prefix(80).filter { $0.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control } })
  }
}

extension Wisdom.Workload {
  /// Whether all of it can be reckoned with.
  fileprivate var isSound: Bool {
    let sides = 1...ImageLayout.maximumSide
    return PixelFormat(rawValue: format) != nil && EdgeMode(name: edge) != nil
      && sides.contains(width) && sides.contains(height) && Sigma.allowed.contains(sigma)
      && (1...1024).contains(threads) && times.count <= WisdomFile.mostTimes
      && times.allSatisfy { (1e-3...1e15).contains($0.ns) }
  }
}

// MARK: From JSON

extension Wisdom {
  /// Nil where a member is missing or of another type.
  fileprivate init?(json: JSONValue) {
    guard let format = json["format"]?.text, let version = json["version"]?.integer,
      let revision = json["revision"]?.text, let machine = json["machine"].flatMap(Machine.init(json:)),
      let date = json["date"]?.text, let workloads = json["workloads"]?.array?.map(Workload.init(json:)),
      !workloads.contains(nil)
    else { return nil }
    (self.format, self.version, self.revision) = (format, version, revision)
    (self.machine, self.date, self.workloads) = (machine, date, workloads.compactMap { $0 })
  }
}

extension Wisdom.Machine {
  fileprivate init?(json: JSONValue) {
    guard let key = json["key"]?.text, let model = json["model"]?.text, let cores = json["cores"]?.integer,
      let isa = json["isa"]?.text
    else { return nil }
    (self.key, self.model, self.cores, self.isa) = (key, model, cores, isa)
  }
}

extension Wisdom.Workload {
  fileprivate init?(json: JSONValue) {
    guard let format = json["format"]?.text, let width = json["width"]?.integer,
      let height = json["height"]?.integer, let sigma = json["sigma"]?.number, let edge = json["edge"]?.text,
      let threads = json["threads"]?.integer, let times = json["times"]?.array?.map(Wisdom.Time.init(json:)),
      !times.contains(nil)
    else { return nil }
    (self.format, self.width, self.height, self.sigma) = (format, width, height, sigma)
    (self.edge, self.threads, self.times) = (edge, threads, times.compactMap { $0 })
    disturbed = json["disturbed"]?.boolean
  }
}

extension Wisdom.Time {
  fileprivate init?(json: JSONValue) {
    guard let kernel = json["kernel"]?.text, let isa = json["isa"]?.text, let ns = json["ns"]?.number
    else { return nil }
    self.init(kernel: kernel, isa: isa, ns: ns, within: json["within"]?.number)
  }
}
