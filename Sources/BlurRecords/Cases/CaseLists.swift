import Blur
import Foundation

/// Values by dimension: the product of a suite, or what a command line puts in their place.
public struct CaseLists: Equatable, Sendable {
  private var values: [CaseDimension: [DimensionValue]]
  /// What the product's cases must keep to.
  public var limits: Limits

  /// Takes lists; dimensions that are not named have none.
  public init(_ values: [CaseDimension: [DimensionValue]] = [:], limits: Limits = Limits()) {
    (self.values, self.limits) = (values, limits)
  }

  /// Reads comma-separated lists: `[.sigma: "1,2.5"]`.
  ///
  /// - Throws: ``MeasurementError/usage(_:)`` that names the option and the word.
  public init(_ texts: [CaseDimension: String], _ vocabulary: Vocabulary) throws(MeasurementError) {
    (values, limits) = ([:], Limits())
    for dimension in CaseDimension.allCases {
      guard let text = texts[dimension] else { continue }
      let option = "--\(dimension.rawValue)"
      if [.scene, .device].contains(dimension), vocabulary.catalog.scenes.isEmpty {
        throw .usage("\(option): no scenes are measured here")
      }
      do throws(ParseError) { values[dimension] = try dimension.values(list: text, vocabulary) } catch {
        throw .usage("\(option): \(error.reason)")
      }
    }
  }

  /// The values of a dimension; nil where there is no list.
  public subscript(dimension: CaseDimension) -> [DimensionValue]? { values[dimension] }

  /// Whether the product is one of scenes.
  public var isOfScenes: Bool { values[.scene] != nil }

  /// The same with the other lists in place of its own; lists that it does not have are not added.
  public func replacing(with others: CaseLists) -> CaseLists {
    CaseLists(values.merging(others.values.filter { values[$0.key] != nil }) { $1 }, limits: limits)
  }

  /// Whether every list names the case, on a machine of N cores.
  public func name(_ item: Case, cores: Int) -> Bool {
    values.values.allSatisfy { list in list.contains { item.has($0, cores: cores) } }
  }

  // MARK: The product

  /// How many cases the product has, where each name is one kernel and each choice one instruction set. As a
  /// floating-point number it cannot overflow.
  var count: Double { values.values.reduce(1) { $0 * Double($1.count) } }

  /// The workloads of the product, in its order.
  ///
  /// - Parameters:
  ///   - cores: what `all` threads means.
  ///   - catalog: the scenes that exist.
  /// - Throws: ``MeasurementError/usage(_:)``.
  package func workloads(
    cores: Int, _ catalog: SceneCatalog = .none
  ) throws(MeasurementError) -> [Workload] {
    var drafts = [WorkloadDraft()]
    for dimension in CaseDimension.product(ofScenes: isOfScenes) {
      guard dimension != .kernel, dimension != .isa, let list = values[dimension] else { continue }
      drafts = drafts.flatMap { draft in list.map { draft.with($0, cores: cores) } }
    }
    var workloads: [Workload] = []
    for draft in drafts {
      do throws(BlurError) { workloads.append(try draft.workload(catalog)) } catch {
        throw .usage("\(error)")
      }
    }
    return workloads
  }

  /// The names of the kernels, and the choices of instruction sets; nil where there is no such list.
  package var kernels: [String]? {
    values[.kernel]?.compactMap { if case .kernel(let name) = $0 { name } else { nil } }
  }
  package var isas: [InstructionSetChoice]? {
    values[.isa]?.compactMap { if case .isa(let choice) = $0 { choice } else { nil } }
  }
}

/// A workload that grows value by value.
struct WorkloadDraft {
  var threads = 1
  var format = PixelFormat.rgba8
  var size = Size(width: 1, height: 1)
  var sigma = 0.0
  var edge = EdgeMode.clamp
  var pace = Pace.warm
  var mask: MaskShape?
  var scene: String?, device: String?

  mutating func take(_ value: DimensionValue, cores: Int) {
    switch value {
    case .threads(let choice): threads = choice.count(cores: cores)
    case .format(let format): self.format = format
    case .size(let size): self.size = size
    case .sigma(let sigma): self.sigma = sigma
    case .edge(let edge): self.edge = edge
    case .pace(let pace): self.pace = pace
    case .mask(let mask): self.mask = mask
    case .scene(let name): scene = name
    case .device(let name): device = name
    case .kernel, .isa: break
    }
  }

  func with(_ value: DimensionValue, cores: Int) -> WorkloadDraft {
    var draft = self
    draft.take(value, cores: cores)
    return draft
  }

  /// The workload of an image of that layout: the one place where all dimensions come together.
  func workload(_ layout: ImageLayout, scene: SceneName?) -> Workload {
    Workload(threads: threads, layout: layout, sigma: sigma, edge: edge, pace: pace, mask: mask, scene: scene)
  }

  func workload(_ catalog: SceneCatalog) throws(BlurError) -> Workload {
    guard let scene else {
      return workload(try size.layout(format), scene: nil)
    }
    var workload = try catalog.workload(SceneName(scene, on: device ?? ""))
    workload.threads = threads
    return workload
  }
}
