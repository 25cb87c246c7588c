import Blur
import BlurText

extension Case: CustomStringConvertible {
  static let family = "BM_Blur", strideKey = "stride"

  /// The keys of case names, in order. Only names of padded images have the key `stride`, and only names of
  /// scenes have the key `scene`.
  public static let keys = CaseDimension.allCases.flatMap { dimension -> [String] in
    switch dimension {
    case .size: [dimension.key, strideKey]
    // The value of the key `scene` includes the device, as in `scene=glass@phone-3x`.
    case .device: []
    default: [dimension.key]
    }
  }

  /// The key-value pairs of the name, in order.
  public var fields: [(key: String, value: String)] {
    let (values, layout) = (CaseValues(self), workload.layout)
    return CaseDimension.allCases.flatMap { dimension -> [(key: String, value: String)] in
      switch dimension {
      case .size:
        let stride = layout.stride == layout.rowBytes ? [] : [(Self.strideKey, String(layout.stride))]
        return [(dimension.key, "\(layout.width)x\(layout.height)")] + stride
      case .scene: return workload.scene.map { [(dimension.key, $0.text)] } ?? []
      case .device: return []
      default:
        guard let word = dimension.word(values), !(dimension.isLater && word == dimension.usual) else {
          return []
        }
        return [(dimension.key, word)]
      }
    }
  }

  /// The name of the case in records, such as
  /// `BM_Blur/kernel=simd/isa=avx512/threads=2/format=rgba8/size=1920x1080/sigma=10/edge=clamp`.
  public var name: String {
    ([Self.family] + fields.map { "\($0.key)=\($0.value)" }).joined(separator: "/")
  }

  public var description: String { name }

  /// Parses the name of a case.
  ///
  /// - Throws: ``MeasurementError/usage(_:)``, with the wrong part of the name in the message.
  public init(name: String) throws(MeasurementError) {
    let wrong = { (reason: String) in MeasurementError.usage("name '\(name)': \(reason)") }
    var words: [String: String] = [:]
    let parts = name.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    guard parts.first == Self.family else { throw wrong("must begin with \(Self.family)/") }
    for part in parts.dropFirst() {
      let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      guard pair.count == 2, Self.keys.contains(pair[0]) else {
        throw wrong("'\(part)' must be key=value with one of the keys \(Self.keys.listed)")
      }
      guard words.updateValue(pair[1], forKey: pair[0]) == nil else {
        throw wrong("the key \(pair[0]) appears twice")
      }
    }
    // A case of a scene has the key `scene` in its name, in addition to all the keys of an ordinary blur.
    var values = CaseValues()
    for dimension in CaseDimension.allCases where dimension.scope != .scenes {
      let key = dimension.key
      guard let word = words[key] ?? (dimension.isLater ? dimension.usual : nil) else {
        throw wrong("\(key)= is missing")
      }
      do throws(ParseError) { try dimension.set(word, nil, &values) } catch {
        throw wrong("\(key)=\(word) is not understood")
      }
    }
    // A case name must have a single value for each key, so words such as `best` and `all` are rejected.
    guard case .upTo(let isa) = values.isa else { throw wrong("isa=\(values.isa.text) is not understood") }
    guard values.threads != .all else { throw wrong("threads=all is not understood") }
    func value<Value>(_ key: String, _ parse: (String) -> Value?) throws(MeasurementError) -> Value? {
      guard let word = words[key] else { return nil }
      guard let value = parse(word) else { throw wrong("\(key)=\(word) is not understood") }
      return value
    }
    let (size, stride) = (values.size, try value(Self.strideKey) { Int($0) })
    let scene = try value(CaseDimension.scene.key) { SceneName($0) }
    let layout: ImageLayout
    do {
      layout = try ImageLayout(
        values.format, width: size.width, height: size.height, stride: stride, alpha: values.alpha)
    } catch { throw wrong("\(error)") }
    self.init(kernel: values.kernel, isa: isa, workload: values.workload(layout, scene: scene, cores: 1))
  }

  /// Returns the first part of a name that gives an impossible size, sigma or number of threads, such as
  /// `sigma=nan`. Returns nil if there is no such part. The other parts of the name are not checked, because
  /// a newer version of the program may have written values that this version does not know.
  static func impossiblePart(of name: String) -> String? {
    var values = CaseValues()
    for part in name.split(separator: "/") {
      let pair = part.split(separator: "=", maxSplits: 1).map(String.init)
      guard pair.count == 2,
        let dimension = [CaseDimension.threads, .size, .sigma].first(where: { $0.key == pair[0] })
      else { continue }
      do throws(ParseError) { try dimension.set(pair[1], nil, &values) } catch { return String(part) }
    }
    return nil
  }

  /// Returns whether the case's name omits the property because the property has its usual value.
  func isUsual(_ dimension: CaseDimension) -> Bool {
    dimension.isLater && word(dimension) == dimension.usual
  }
}
