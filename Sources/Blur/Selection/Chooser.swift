/// Chooses kernels: among those that promise to keep a bound, the one with the shortest predicted time.
///
/// Predictions come from wisdom where there is some of this machine near the wanted workload, else from a cost
/// model. Immutable, so that any number of threads can ask it; an answer takes some microseconds.
public struct Chooser: Sendable {
  /// The file that wisdom comes from.
  public let path: String?
  /// Why a file was ignored, and how to get a good one.
  public let warning: String?
  private let wisdom: TimeTable?

  /// The chooser of this process, made at first use: with the file that ``WisdomFile/path`` names, if that is of
  /// this machine and these kernels. What is wrong with it is said once on standard error.
  public static let shared: Chooser = {
    let chooser = Chooser(path: WisdomFile.path, isNamed: SystemFile.environment("BLUR_WISDOM") != nil)
    if let warning = chooser.warning {
      SystemFile.say("blur: \(warning); until then kernels are chosen by a cost model")
    }
    return chooser
  }()

  /// A chooser with this wisdom, or with the cost model alone.
  public init(_ wisdom: Wisdom? = nil) {
    self.wisdom = wisdom.map { TimeTable($0.workloads) }
    (path, warning) = (nil, nil)
  }

  /// A chooser with the wisdom of a file, if it is fit.
  ///
  /// - Parameter isNamed: whether somebody asked for that file, so that its absence is worth a word.
  init(path: String?, isNamed: Bool, processor: Processor = .current) {
    do throws(WisdomFile.Problem) {
      wisdom = try path.map { (path) throws(WisdomFile.Problem) in
        TimeTable(try WisdomFile.load(path, for: processor).workloads)
      }
      (self.path, warning) = (path, nil)
    } catch {
      wisdom = nil
      self.path = nil
      if case .missing = error, !isNamed { warning = nil } else { warning = error.description }
    }
  }

  /// Whether there is wisdom.
  public var hasWisdom: Bool { wisdom != nil }

  /// The kernels that promise to keep `bound`, the quickest first. Some may refuse the parameters.
  ///
  /// - Parameters:
  ///   - layout: the images.
  ///   - parameters: sigma, edge mode, wanted region, the widest instruction set to use.
  ///   - bound: the largest error against the Gaussian.
  ///   - threads: how many work on an image.
  /// - Throws: ``BlurError/noKernel(within:)`` when no promise is that strict.
  public func choices(
    for layout: ImageLayout, _ parameters: BlurParameters, within bound: ErrorBound, threads: Int = 1
  ) throws(BlurError) -> [Choice] {
    var entrants: [Entrant] = []
    for (place, kernel) in Registry.kernels.enumerated() where bound.allows(kernel, for: layout.format) {
      entrants.append(
        Entrant(kernel, place: place, isa: kernel.instructionSet(upTo: parameters.instructionSet)))
    }
    guard !entrants.isEmpty else { throw .noKernel(within: bound.levels) }
    let basis = predict(&entrants, layout, parameters, max(1, threads))
    entrants.sort { $0.isBefore($1) }
    return entrants.enumerated().map { index, entrant in
      let next = index + 1 < entrants.count ? entrants[index + 1] : nil
      return entrant.choice(basis, next: next)
    }
  }

  /// Gives each entrant its time, where there is one, and the instruction set that is quickest.
  private func predict(
    _ entrants: inout [Entrant], _ layout: ImageLayout, _ parameters: BlurParameters, _ threads: Int
  ) -> Choice.Basis {
    let region = parameters.region ?? layout.bounds
    let query = TimeTable.Query(
      format: layout.format, width: max(1, region.width), height: max(1, region.height),
      sigma: (parameters.sigma.x + parameters.sigma.y) / 2, edge: parameters.edge, threads: threads)
    let note = { (runner: TimeTable.Runner, time: Double) in
      guard let index = entrants.firstIndex(where: { $0.kernel.name == runner.kernel }) else { return }
      entrants[index].note(time, runner.isa, upTo: parameters.instructionSet)
    }
    // Nothing predicted for those that may be taken is as good as no wisdom.
    if wisdom?.forEach(query, note) == true, entrants.contains(where: { $0.time != nil }) { return .wisdom }
    _ = CostModel.table.forEach(query, isEndless: true, note)
    return .costModel
  }
}

/// A kernel that keeps the bound.
private struct Entrant {
  let kernel: Kernel
  /// Its place in the list.
  let place: Int
  private(set) var isa: InstructionSet
  private(set) var time: Double?
  /// The widest set there is, and how much sooner than with it a blur must be done with another one: mostly it is the
  /// quickest, and predictions are not that exact.
  private let widest: InstructionSet
  private static let advantage = 1.1
  /// The definition in code: never chosen where anything else may be.
  let isLastResort: Bool

  init(_ kernel: Kernel, place: Int, isa: InstructionSet) {
    self.kernel = kernel
    self.place = place
    (self.isa, widest) = (isa, isa)
    isLastResort = kernel.isDefinition
  }

  mutating func note(_ time: Double, _ isa: InstructionSet, upTo limit: InstructionSet) {
    guard isa <= limit, isa.isAvailable, kernel.instructionSets.contains(isa),
      handicapped(time, isa) < self.time.map({ handicapped($0, self.isa) }) ?? .infinity
    else { return }
    (self.time, self.isa) = (time, isa)
  }

  private func handicapped(_ time: Double, _ isa: InstructionSet) -> Double {
    isa == widest ? time : time * Self.advantage
  }

  func isBefore(_ other: Entrant) -> Bool {
    if isLastResort != other.isLastResort { return other.isLastResort }
    let (a, b) = (time ?? .infinity, other.time ?? .infinity)
    return a == b ? place > other.place : a < b
  }

  func choice(_ basis: Choice.Basis, next: Entrant?) -> Choice {
    let runnerUp = next.map { next in
      let slowdown = next.time.flatMap { theirs in time.map { theirs / $0 } }
      return Choice.RunnerUp(kernel: next.kernel.name, slowdown: slowdown)
    }
    return Choice(
      kernel: kernel, instructionSet: isa, time: time, basis: time == nil ? .order : basis, runnerUp: runnerUp
    )
  }
}
