import Blur
import BlurText

/// A named set of cases, and how each is measured.
public struct Suite: Equatable, Sendable {
  /// The name in records and on the command line.
  public var name: String
  /// Why these cases, in prose.
  public var why: String
  /// Repetitions and times.
  public var settings: TimingSettings
  /// Products of lists; a case that several of them name is measured once.
  public var entries: [Entry]

  /// The word that stands for all kernels of plug-ins in a list of kernels.
  public static let plugins = "plugins"

  /// The most cases that a suite may name. A run of so many would take days, and a slip in a list makes more.
  public static let mostCases = 100_000

  /// Makes a suite.
  public init(name: String, why: String, settings: TimingSettings, entries: [Entry]) {
    self.name = name
    self.why = why
    self.settings = settings
    self.entries = entries
  }

  /// Lists whose product is measured.
  public struct Entry: Equatable, Sendable {
    /// Names of kernels.
    public var kernels: [String]
    /// How pixels are stored.
    public var formats: [PixelFormat]
    /// Sizes in pixels, with padding.
    public var sizes: [Size]
    /// Standard deviations in pixels.
    public var sigmas: [Double]
    /// What is read beyond the image.
    public var edges: [EdgeMode]
    /// How many threads.
    public var threads: [ThreadChoice]
    /// Which instruction sets.
    public var isas: [InstructionSetChoice]
    /// Interface scenes, and the devices that they play on; they say themselves what is blurred, and nothing else of
    /// this product does. Empty for blurs.
    public var scenes: [String] = [], devices: [String] = []

    /// Makes a product; by default clamped edges, one thread, the best instruction set.
    public init(
      kernels: [String], formats: [PixelFormat], sizes: [Size], sigmas: [Double],
      edges: [EdgeMode] = [.clamp], threads: [ThreadChoice] = [.count(1)],
      isas: [InstructionSetChoice] = [.best]
    ) {
      self.kernels = kernels
      self.formats = formats
      self.sizes = sizes
      self.sigmas = sigmas
      self.edges = edges
      self.threads = threads
      self.isas = isas
    }
  }

  /// The cases by workload, on a machine of `cores` cores. Workloads that differ in threads alone stand
  /// together; within a workload kernels have the suite's order.
  ///
  /// - Parameters:
  ///   - kernels: the kernels that exist; others that the suite names are an error.
  ///   - cores: what `all` threads means.
  ///   - catalog: the scenes that exist.
  /// - Throws: ``MeasurementError/usage(_:)``, also for more than ``mostCases``.
  public func jobs(
    kernels: [Kernel], cores: Int, catalog: SceneCatalog = .none
  ) throws(MeasurementError) -> [Job] {
    let count = entries.reduce(0.0) { $0 + $1.count }
    guard count <= Double(Self.mostCases) else {
      throw .usage("suite '\(name)' names \(count.short) cases; the most is \(Self.mostCases)")
    }
    var order: [Workload] = []
    var cases: [Workload: [Case]] = [:]
    for entry in entries {
      var chosen: [Kernel] = []
      for name in entry.kernels { chosen += try self.kernels(name, in: kernels) }
      for workload in try entry.workloads(cores: cores, catalog) {
        if cases[workload] == nil { order.append(workload) }
        for kernel in chosen {
          for isa in entry.isas.flatMap({ $0.sets(of: kernel) }) {
            let new = Case(kernel: kernel.name, isa: isa, workload: workload)
            if cases[workload]?.contains(new) != true { cases[workload, default: []].append(new) }
          }
        }
      }
    }
    return together(order).map { Job(workload: $0, cases: cases[$0]!) }
  }

  private func kernels(_ name: String, in kernels: [Kernel]) throws(MeasurementError) -> [Kernel] {
    if name == Self.plugins {
      let own = Registry.kernels.map(\.name)
      return kernels.filter { !own.contains($0.name) }
    }
    if let kernel = kernels.first(where: { $0.name == name }) { return [kernel] }
    throw .usage(Unreadable(unknown: "kernel", name, among: kernels.map(\.name)).reason)
  }

  /// Moves workloads of the same picture next to the first of them, fewest threads first.
  private func together(_ workloads: [Workload]) -> [Workload] {
    var pictures: [Workload] = []
    var members: [Workload: [Workload]] = [:]
    for workload in workloads {
      if members[workload.picture] == nil { pictures.append(workload.picture) }
      members[workload.picture, default: []].append(workload)
    }
    return pictures.flatMap { members[$0]!.sorted { $0.threads < $1.threads } }
  }
}

extension Suite.Entry {
  /// How many cases the product has, where each name is one kernel and each choice one instruction set. As a
  /// floating-point number it cannot overflow.
  var count: Double {
    let lists: [Int] = [
      kernels.count, formats.count, sizes.count, sigmas.count, edges.count, threads.count, isas.count,
      max(1, scenes.count), max(1, devices.count),
    ]
    return lists.reduce(1.0) { $0 * Double($1) }
  }

  /// The product without kernels and instruction sets.
  package func workloads(cores: Int, _ catalog: SceneCatalog = .none) throws(MeasurementError) -> [Workload] {
    guard scenes.isEmpty else { return try played(cores: cores, catalog) }
    var found: [Workload] = []
    for format in formats {
      for size in sizes {
        let layout: ImageLayout
        do { layout = try size.layout(format) } catch { throw .usage("\(error)") }
        for sigma in sigmas {
          for edge in edges {
            for threads in threads.map({ $0.count(cores: cores) }) {
              found.append(Workload(threads: threads, layout: layout, sigma: sigma, edge: edge))
            }
          }
        }
      }
    }
    return found
  }

  /// The scenes on each device, with each number of threads.
  private func played(cores: Int, _ catalog: SceneCatalog) throws(MeasurementError) -> [Workload] {
    var found: [Workload] = []
    for scene in scenes {
      for device in devices {
        var workload: Workload
        do throws(BlurError) { workload = try catalog.workload(SceneName(scene, on: device)) } catch {
          throw .usage("\(error)")
        }
        for threads in threads.map({ $0.count(cores: cores) }) {
          workload.threads = threads
          found.append(workload)
        }
      }
    }
    return found
  }
}

/// A workload and the cases that are measured on it, interleaved.
public struct Job: Equatable, Sendable {
  /// What the cases have in common.
  public var workload: Workload
  /// The cases, without the memcpy beside them.
  public var cases: [Case]

  /// Makes a job.
  public init(workload: Workload, cases: [Case]) {
    self.workload = workload
    self.cases = cases
  }
}

extension [Job] {
  /// The jobs with only those cases for which `keep` says so; jobs left empty are dropped.
  public func filtered(_ keep: (Case) -> Bool) -> [Job] {
    map { Job(workload: $0.workload, cases: $0.cases.filter(keep)) }.filter { !$0.cases.isEmpty }
  }
}
