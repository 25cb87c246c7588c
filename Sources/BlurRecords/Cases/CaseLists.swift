import Blur
import Foundation

/// Lists of values for the properties of cases, such as the sigmas 2 and 5, with at most one list for each
/// property.
///
/// In a suite, every combination of the listed values is a case. On the command line, the lists replace the
/// lists of a suite.
public struct CaseLists: Equatable, Sendable {
  private var values: [CaseDimension: [DimensionValue]]
  /// The largest time and the largest error that the suite allows for these cases. The cases are all
  /// combinations of the listed values.
  public var limits: Limits

  /// Creates lists from the values of each property. Each property in `values` gets a list, and all other
  /// properties have none.
  public init(_ values: [CaseDimension: [DimensionValue]] = [:], limits: Limits = Limits()) {
    (self.values, self.limits) = (values, limits)
  }

  /// Parses comma-separated lists such as `[.sigma: "1,2.5"]`.
  ///
  /// - Throws: ``MeasurementError/usage(_:)`` that names the option and the invalid word.
  public init(_ texts: [CaseDimension: String], _ vocabulary: Vocabulary) throws(MeasurementError) {
    (values, limits) = ([:], Limits())
    for dimension in CaseDimension.allCases {
      guard let text = texts[dimension] else { continue }
      let option = "--\(dimension.rawValue)"
      if [.scene, .device].contains(dimension), vocabulary.catalog.scenes.isEmpty {
        throw .usage("\(option): this command measures no scenes")
      }
      do throws(ParseError) { values[dimension] = try dimension.values(list: text, vocabulary) } catch {
        throw .usage("\(option): \(error.reason)")
      }
    }
  }

  /// Returns the listed values of a property, or nil if there is no list for this property.
  public subscript(dimension: CaseDimension) -> [DimensionValue]? { values[dimension] }

  /// Whether the cases are interface scenes rather than single blurs. This is so if there is a list of
  /// scenes.
  public var isOfScenes: Bool { values[.scene] != nil }

  /// Returns a copy of these lists in which each list is replaced by the list of the same property in
  /// `others`, if there is one. Lists of further properties in `others` are ignored.
  public func replacing(with others: CaseLists) -> CaseLists {
    CaseLists(values.merging(others.values.filter { values[$0.key] != nil }) { $1 }, limits: limits)
  }

  /// Returns whether the case is among the cases that the lists name. For every property with a list, the
  /// list must contain the value that the case has.
  ///
  /// - Parameter cores: The number of threads that the word `all` stands for.
  public func name(_ item: Case, cores: Int) -> Bool {
    values.values.allSatisfy { list in list.contains { item.has($0, cores: cores) } }
  }

  // MARK: The Cartesian product

  /// The approximate number of cases in the Cartesian product. A word that stands for several kernels or for
  /// several instruction sets is counted as one.
  ///
  /// The number is a floating-point number because an integer could overflow.
  var count: Double { values.values.reduce(1) { $0 * Double($1.count) } }

  /// Returns one workload for each combination of the values. The first property changes slowest in the
  /// result.
  ///
  /// - Parameters:
  ///   - cores: The number of threads that `all` stands for.
  ///   - catalog: The known scenes.
  /// - Throws: ``MeasurementError/usage(_:)`` if the layout of an image or a scene is invalid.
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

  /// The names in the list of kernels, or nil if there is no such list.
  package var kernels: [String]? {
    values[.kernel]?.compactMap { if case .kernel(let name) = $0 { name } else { nil } }
  }
  package var isas: [InstructionSetChoice]? {
    values[.isa]?.compactMap { if case .isa(let choice) = $0 { choice } else { nil } }
  }
}

/// A workload under construction. It gets the value of one property after the other.
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

  /// Returns the workload for an image of the given layout. Every workload is assembled here, so a new
  /// property has to be added in only one place.
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
