import Blur
import BlurText
import Foundation
import Yams

/// Reads suites from YAML. Every error states the file, the line, the column and the reason.
///
/// ```yaml
/// name: quick
/// why: Text that explains what these cases show.
/// repetitions: 5        # the number of samples per case; 5 by default
/// min_time: 0.05        # the minimum duration of a sample in seconds; 0.1 by default
/// warm_up: 0.02         # the warm-up before the first sample in seconds; 0.05 by default
/// workloads:            # each entry is the Cartesian product of its lists
///   - why: Optional text about this entry.
///     kernels: [separable, simd]    # or all; "plugins" stands for the kernels of all plug-ins
///     formats: [rgba8]              # or all
///     sizes: [640x480, 1001x701+3]  # WxH; "+3" adds 3 bytes of padding to each row
///     sigmas: [1, 5]
///     edges: [clamp]                # the default; or all
///     threads: [1, all]             # 1 by default
///     masks: [none]                 # the default; or mask shapes, for kernels that support masks
///     alpha: [premultiplied]        # the default; or straight, opaque, or all
///     isa: [best]                   # the default; or all, or the widest instruction set to use
///     limit: 2 ms                   # or 9x memcpy; the run fails if a case certainly takes longer
///     levels: 1                     # the run fails if the error of a case is larger
///   - scenes: all                   # interface scenes, which replace formats, sizes, sigmas and edges
///     devices: [phone-3x]           # the devices on whose screens the scenes play, or all
///     kernels: [simd]
/// ```
public struct SuiteReader {
  private let file: String
  private let vocabulary: Vocabulary

  /// Creates a reader for the file at `path`. A suite that lists any kernel other than the given ones is
  /// invalid.
  public init(file path: String, kernels: [String], catalog: SceneCatalog = .none) {
    file = path
    vocabulary = Vocabulary(kernels: kernels, catalog: catalog)
  }

  /// Parses a suite from YAML text.
  ///
  /// - Throws: ``MeasurementError/suite(file:line:column:reason:)``.
  public func read(_ yaml: String) throws(MeasurementError) -> Suite {
    let root = try mapping(
      try composed(yaml), "a suite",
      keys: ["name", "why", "repetitions", "min_time", "warm_up", "workloads"])
    let settings = TimingSettings(
      repetitions: try root.optional("repetitions", repetitions) ?? 5,
      minTime: try seconds(root, "min_time", from: 1e-6) ?? 0.1,
      warmUp: try seconds(root, "warm_up", from: 0) ?? 0.05)
    return Suite(
      name: try root.required("name", prose), why: try root.required("why", prose), settings: settings,
      entries: try root.required("workloads", entries))
  }

  /// The maximum number of YAML aliases. Without a limit, a small file could expand to a huge document,
  /// because an anchor that contains two aliases of the previous anchor is twice as large as that anchor.
  private static let mostAliases = 16

  private func composed(_ yaml: String) throws(MeasurementError) -> Node {
    guard Self.aliases(yaml) <= Self.mostAliases else {
      throw failure("more than \(Self.mostAliases) YAML aliases; write out their values", at: nil)
    }
    do {
      if let node = try Yams.compose(yaml: yaml) { return node }
    } catch let error as YamlError {
      throw syntaxError(error)
    } catch {
      throw failure("not valid YAML", at: nil)
    }
    throw failure("the file is empty; a suite needs name, why and workloads", at: nil)
  }

  /// Returns the number of words in the YAML text that begin with an asterisk. There cannot be more YAML
  /// aliases than this. There may be fewer, because descriptions can contain such words too.
  private static func aliases(_ yaml: String) -> Int {
    var (count, before) = (0, UInt8(ascii: " "))
    for byte in yaml.utf8 {
      if byte == UInt8(ascii: "*") && " \t\r\n,[]{}:?-\"'".utf8.contains(before) { count += 1 }
      before = byte
    }
    return count
  }

  private func entries(_ node: Node) throws(MeasurementError) -> [CaseLists] {
    guard let items = node.sequence, !items.isEmpty else {
      throw failure("workloads must be a list: begin each workload with '- '", at: node)
    }
    var entries: [CaseLists] = []
    for item in items { entries.append(try entry(item)) }
    return entries
  }

  private func entry(_ node: Node) throws(MeasurementError) -> CaseLists {
    let keys = CaseDimension.allCases.map(\.suiteKey)
    let lists = try mapping(node, "a workload", keys: ["why", "limit", "levels"] + keys)
    _ = try lists.optional("why", prose)
    let isOfScenes = lists.values[CaseDimension.scene.suiteKey] != nil
    let product = CaseDimension.product(ofScenes: isOfScenes)
    for key in keys where lists.values[key] != nil && !product.contains(where: { $0.suiteKey == key }) {
      guard isOfScenes else {
        throw failure("\(key): only allowed together with the key scenes", at: lists.values[key])
      }
      throw failure(
        "\(key): not allowed with the key scenes, because each scene defines what is blurred", at: node)
    }
    var values: [CaseDimension: [String]] = [:]
    for dimension in product {
      if let usual = dimension.usual, lists.values[dimension.suiteKey] == nil {
        values[dimension] = try list(of: dimension, Node(usual))
      } else {
        values[dimension] = try lists.required(dimension.suiteKey) { (node) throws(MeasurementError) in
          try list(of: dimension, node)
        }
      }
    }
    return CaseLists(
      values,
      limits: Limits(time: try lists.optional("limit", limit), levels: try lists.optional("levels", levels)))
  }

  // MARK: Values

  private typealias Read<Value> = (Node) throws(MeasurementError) -> Value

  /// Reads a list of values, or a single value in place of a list.
  private func list(of dimension: CaseDimension, _ node: Node) throws(MeasurementError) -> [String] {
    let items = node.sequence.map { Array($0) } ?? [node]
    guard !items.isEmpty else { throw failure("the list is empty, so the workload has no cases", at: node) }
    var words: [String] = []
    for item in items {
      guard let text = item.scalar?.string else {
        throw failure("must be a single word or number", at: item)
      }
      words.append(text)
    }
    return try dimension.checked(words, vocabulary) { (index) throws(MeasurementError) in
      do throws(ParseError) { return try dimension.checked(words[index], vocabulary) } catch {
        throw failure(error.reason, at: items[index])
      }
    }
  }

  private func prose(_ node: Node) throws(MeasurementError) -> String {
    let text = node.scalar?.string.trimmingCharacters(in: .whitespacesAndNewlines) ?? ""
    guard !text.isEmpty else { throw failure("must be text that is not empty", at: node) }
    return text
  }

  private func repetitions(_ node: Node) throws(MeasurementError) -> Int {
    guard let count = node.wholeNumber, (1...10_000).contains(count) else {
      throw failure("repetitions must be a whole number from 1 to 10000", at: node)
    }
    return count
  }

  private func limit(_ node: Node) throws(MeasurementError) -> Limits.Time {
    do throws(ParseError) { return try Limits.Time(node.scalar?.string ?? "") } catch {
      throw failure(error.reason, at: node)
    }
  }

  private func levels(_ node: Node) throws(MeasurementError) -> Double {
    guard let levels = node.number, levels >= 0, levels.isFinite else {
      throw failure("levels must be a number of at least 0", at: node)
    }
    return levels
  }

  private func seconds(
    _ root: Mapping, _ key: String, from least: Double
  ) throws(MeasurementError) -> Double? {
    guard let node = root.values[key] else { return nil }
    guard let seconds = node.number, seconds >= least, seconds <= 3600 else {
      let value = node.scalar.map { " '\($0.string)'" } ?? ""
      let allowed = "a number of seconds from \(least.short) to 3600, without a unit, such as 0.1"
      throw failure("\(key)\(value): must be \(allowed)", at: node)
    }
    return seconds
  }

  // MARK: Keys and errors

  private func mapping(
    _ node: Node, _ what: String, keys: [String]
  ) throws(MeasurementError) -> Mapping {
    guard let pairs = node.mapping else {
      throw failure("\(what) must be a mapping with the keys \(keys.listed)", at: node)
    }
    var values: [String: Node] = [:]
    for (key, value) in pairs {
      guard let name = key.scalar?.string, keys.contains(name) else {
        let given = (value.sequence.map { Array($0) } ?? [value]).compactMap(\.scalar?.string)
        let hint = WindowSize.hint(key.scalar?.string ?? "", given) { "sigmas: [\($0.listed)]" }
        if let hint { throw failure(hint, at: key) }
        let reason = ParseError(unknown: "key of \(what)", key.scalar?.string ?? "?", among: keys).reason
        throw failure(reason, at: key)
      }
      values[name] = value
    }
    return Mapping(values: values) { (key) in failure("\(what) needs the key \(key)", at: node) }
  }

  private struct Mapping {
    let values: [String: Node]
    let missing: (String) -> MeasurementError

    func required<Value>(_ key: String, _ read: Read<Value>) throws(MeasurementError) -> Value {
      guard let node = values[key] else { throw missing(key) }
      return try read(node)
    }

    func optional<Value>(_ key: String, _ read: Read<Value>) throws(MeasurementError) -> Value? {
      guard let node = values[key] else { return nil }
      return try read(node)
    }
  }

  private func failure(_ reason: String, at node: Node?) -> MeasurementError {
    .suite(file: file, line: node?.mark?.line ?? 1, column: node?.mark?.column ?? 1, reason: reason)
  }

  private func syntaxError(_ error: YamlError) -> MeasurementError {
    switch error {
    case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _),
      .composer(_, let problem, let mark, _):
      .suite(file: file, line: mark.line, column: mark.column, reason: "not valid YAML: \(problem)")
    case .duplicatedKeysInMapping(let keys, let context):
      .suite(
        file: file, line: context.mark.line, column: context.mark.column,
        reason: keys.count == 1
          ? "the key \(keys[0]) appears twice" : "these keys appear twice: \(keys.listed)")
    case .reader(let problem, _, _, _):
      failure("not valid YAML: \(problem)", at: nil)
    default:
      failure("not valid YAML", at: nil)
    }
  }
}

extension Node {
  /// The number that the node contains, with or without quotation marks.
  fileprivate var number: Double? { scalar.flatMap { Double.decimal($0.string) } }
  fileprivate var wholeNumber: Int? { scalar.flatMap { Int($0.string) } }
}
