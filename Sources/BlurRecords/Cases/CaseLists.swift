import Blur
import Foundation

/// Lists of values for the properties of cases, such as the list of sigmas 2 and 5. Each property has at most
/// one list.
///
/// In a suite, every combination of the listed values is a case. A list from the command line replaces the
/// suite's list for the same property.
public struct CaseLists: Equatable, Sendable {
  private var values: [CaseDimension: [String]]
  /// The largest time and the largest error that the suite allows for the cases of these lists.
  public var limits: Limits

  /// Creates lists of words, which must be valid values of their properties. Each property in `values` gets a
  /// list, and all other properties have none.
  public init(_ values: [CaseDimension: [String]] = [:], limits: Limits = Limits()) {
    (self.values, self.limits) = (values, limits)
  }

  /// Parses comma-separated lists such as `[.sigma: "1,2.5"]`.
  ///
  /// - Throws: ``MeasurementError/usage(_:)``, with the option and the invalid word in the message.
  public init(_ texts: [CaseDimension: String], _ vocabulary: Vocabulary) throws(MeasurementError) {
    (values, limits) = ([:], Limits())
    for dimension in CaseDimension.allCases {
      guard let text = texts[dimension] else { continue }
      let option = "--\(dimension.key)"
      if dimension.scope == .scenes, vocabulary.catalog.scenes.isEmpty {
        throw .usage("\(option): this command measures no scenes")
      }
      do throws(ParseError) { values[dimension] = try dimension.checked(list: text, vocabulary) } catch {
        throw .usage("\(option): \(error.reason)")
      }
    }
  }

  /// Returns the listed values of a property, or nil if there is no list for this property.
  public subscript(dimension: CaseDimension) -> [String]? { values[dimension] }

  /// Whether there is a list of scenes, so that the cases are interface scenes rather than single blurs.
  public var isOfScenes: Bool { values[.scene] != nil }

  /// Returns a copy of these lists in which each list is replaced by the list of the same property in
  /// `others`, if `others` has one. If a property has a list only in `others`, that list is ignored.
  public func replacing(with others: CaseLists) -> CaseLists {
    CaseLists(values.merging(others.values.filter { values[$0.key] != nil }) { $1 }, limits: limits)
  }

  /// Returns whether the lists describe the case. For each property that has a list, this list must contain
  /// the case's value of the property.
  ///
  /// - Parameter cores: The number of threads that the word `all` stands for.
  public func name(_ item: Case, cores: Int) -> Bool {
    values.allSatisfy { dimension, list in list.contains { item.has($0, of: dimension, cores: cores) } }
  }

  // MARK: The Cartesian product

  /// The approximate number of cases in the Cartesian product. A word that stands for several kernels or for
  /// several instruction sets is counted as one.
  ///
  /// The result is a floating-point number because an integer could overflow.
  var count: Double { values.values.reduce(1) { $0 * Double($1.count) } }

  /// Returns one workload for each combination of the values. The workloads are ordered so that the first
  /// property changes slowest.
  ///
  /// - Parameters:
  ///   - cores: The number of threads to use if a thread count is given as `all`.
  ///   - catalog: The known scenes.
  /// - Throws: ``MeasurementError/usage(_:)`` if the layout of an image or a scene is invalid.
  package func workloads(
    cores: Int, _ catalog: SceneCatalog = .none
  ) throws(MeasurementError) -> [Workload] {
    var all = [CaseValues()]
    for dimension in CaseDimension.product(ofScenes: isOfScenes) {
      guard dimension != .kernel, dimension != .isa, let list = values[dimension] else { continue }
      var longer: [CaseValues] = []
      for var values in all {
        for word in list {
          do throws(ParseError) { try dimension.set(word, nil, &values) } catch { throw .usage(error.reason) }
          longer.append(values)
        }
      }
      all = longer
    }
    var workloads: [Workload] = []
    for values in all {
      do throws(BlurError) { workloads.append(try values.workload(cores: cores, catalog)) } catch {
        throw .usage("\(error)")
      }
    }
    return workloads
  }

  /// The names in the list of kernels, or nil if there is no such list.
  package var kernels: [String]? { values[.kernel] }
  package var isas: [InstructionSetChoice]? { values[.isa]?.compactMap { InstructionSetChoice($0) } }
}
