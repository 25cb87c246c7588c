import Blur
import BlurText

extension Case: CustomStringConvertible {
  static let family = "BM_Blur", strideKey = "stride"

  /// The keys of case names, in order. Only names of padded images have the key `stride`, and only names of
  /// scenes have the key `scene`.
  public static let keys = CaseDimension.allCases.flatMap(\.nameKeys)

  /// The key-value pairs of the name, in order.
  public var fields: [(key: String, value: String)] { CaseDimension.allCases.flatMap(fields(of:)) }

  private func fields(of dimension: CaseDimension) -> [(key: String, value: String)] {
    let layout = workload.layout
    switch dimension {
    case .size:
      let stride = layout.stride == layout.rowBytes ? [] : [(Self.strideKey, String(layout.stride))]
      return [(dimension.rawValue, "\(layout.width)x\(layout.height)")] + stride
    case .scene: return workload.scene.map { [(dimension.rawValue, $0.text)] } ?? []
    case .device: return []
    case .pace, .mask: return isUsual(dimension) ? [] : [(dimension.rawValue, word(dimension) ?? "")]
    default: return word(dimension).map { [(dimension.rawValue, $0)] } ?? []
    }
  }

  /// Returns whether the case's name omits the property because the property has its default value.
  func isUsual(_ dimension: CaseDimension) -> Bool {
    dimension.isLater && word(dimension) == dimension.defaultWord
  }

  /// The name of the case in records, such as
  /// `BM_Blur/kernel=simd/isa=avx512/threads=2/format=rgba8/size=1920x1080/sigma=10/edge=clamp`.
  public var name: String {
    ([Self.family] + fields.map { "\($0.key)=\($0.value)" }).joined(separator: "/")
  }

  public var description: String { name }

  /// Parses the name of a case.
  ///
  /// - Throws: ``MeasurementError/usage(_:)`` that says which part of the name is wrong.
  public init(name: String) throws(MeasurementError) {
    let reader = try NameReader(name)
    kernel = try reader.read(.kernel) { if case .kernel(let name) = $0 { name } else { nil } }
    isa = try reader.read(.isa) { if case .isa(.upTo(let set)) = $0 { set } else { nil } }
    workload = try reader.workload()
  }
}

/// Splits the name of a case into its key-value pairs, and parses their values.
private struct NameReader {
  let name: String
  var values: [String: String] = [:]

  init(_ name: String) throws(MeasurementError) {
    self.name = name
    let parts = name.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    guard parts.first == Case.family else { throw wrong("must begin with \(Case.family)/") }
    for part in parts.dropFirst() {
      let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      guard pair.count == 2, Case.keys.contains(pair[0]) else {
        throw wrong("'\(part)' must be key=value with one of the keys \(Case.keys.listed)")
      }
      guard values.updateValue(pair[1], forKey: pair[0]) == nil else {
        throw wrong("the key \(pair[0]) appears twice")
      }
    }
  }

  /// Returns the value of a property in the case name. If the name does not contain the property, the result
  /// is the property's default value. An error is thrown if the property is one that every case name must
  /// contain.
  ///
  /// - Parameter convert: Converts the value to the required type. It returns nil for a word that stands for
  ///   several values, because a case name must state a single value.
  func read<Value>(
    _ dimension: CaseDimension, _ convert: (DimensionValue) -> Value?
  ) throws(MeasurementError) -> Value {
    let key = dimension.rawValue
    guard let text = values[key] ?? (dimension.isLater ? dimension.defaultWord : nil) else {
      throw wrong("\(key)= is missing")
    }
    guard let value = (try? dimension.value(text, nil)).flatMap(convert) else {
      throw wrong("\(key)=\(text) is not understood")
    }
    return value
  }

  func workload() throws(MeasurementError) -> Workload {
    var draft = WorkloadDraft()
    for dimension in CaseDimension.product(ofScenes: false) where dimension != .kernel && dimension != .isa {
      // A case name needs a definite number of threads, so the word `all` is rejected.
      draft.take(try read(dimension) { $0 == .threads(.all) ? nil : $0 }, cores: 1)
    }
    let (size, stride) = (draft.size, try stride())
    let layout: ImageLayout
    do {
      layout = try ImageLayout(draft.format, width: size.width, height: size.height, stride: stride)
    } catch { throw wrong("\(error)") }
    return draft.workload(layout, scene: try scene())
  }

  private func stride() throws(MeasurementError) -> Int? {
    guard let text = values[Case.strideKey] else { return nil }
    guard let stride = Int(text) else { throw wrong("\(Case.strideKey)=\(text) is not understood") }
    return stride
  }

  private func scene() throws(MeasurementError) -> SceneName? {
    guard let text = values[CaseDimension.scene.rawValue] else { return nil }
    guard let scene = SceneName(text) else { throw wrong("scene=\(text) is not understood") }
    return scene
  }

  private func wrong(_ reason: String) -> MeasurementError { .usage("name '\(name)': \(reason)") }
}
