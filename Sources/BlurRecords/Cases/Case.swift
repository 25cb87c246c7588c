import Blur
import BlurText

/// A case without the kernel: everything that kernels compared with each other have in common.
public struct Workload: Hashable, Sendable {
  /// How many threads work on one image.
  public var threads: Int
  /// Format, size and stride of the image.
  public var layout: ImageLayout
  /// Standard deviation in pixels, the same on both axes.
  public var sigma: Double
  /// What is read beyond the image.
  public var edge: EdgeMode
  /// The interface scene whose frames are timed, in which the image is the largest that is blurred; nil for a blur.
  public var scene: SceneName?

  /// Makes a workload.
  public init(
    threads: Int, layout: ImageLayout, sigma: Double, edge: EdgeMode, scene: SceneName? = nil
  ) {
    self.scene = scene
    self.threads = threads
    self.layout = layout
    self.sigma = sigma
    self.edge = edge
  }

  /// The same picture on one thread: what cases with other numbers of threads have in common.
  public var picture: Workload {
    var picture = self
    picture.threads = 1
    return picture
  }

  /// A few words for a person, such as `rgba8 1920x1080, sigma 5, clamp`.
  public var title: String {
    let padding = layout.stride == layout.rowBytes ? "" : " stride \(layout.stride)"
    let blur =
      "\(layout.format) \(layout.width)x\(layout.height)\(padding), sigma \(sigma.short), \(edge.name)"
    return scene.map { "\($0.scene) on \($0.device): \(blur)" } ?? blur
  }

  /// The title with the number of threads.
  package var fullTitle: String { title + (threads > 1 ? ", \(threads) threads" : "") }
}

/// What is measured: a kernel with an instruction set, on a workload.
public struct Case: Hashable, Sendable {
  /// The kernel's name, or ``memcpy``.
  public var kernel: String
  /// The instruction set that runs.
  public var isa: InstructionSet
  /// What it works on.
  public var workload: Workload

  /// Makes a case.
  public init(kernel: String, isa: InstructionSet, workload: Workload) {
    self.kernel = kernel
    self.isa = isa
    self.workload = workload
  }

  /// The name under which a plain copy of the image is measured beside the kernels.
  public static let memcpy = "memcpy"

  /// Whether a case's name is that of a copy; quicker than reading the name.
  public static func isCopy(_ name: String) -> Bool { name.contains("/kernel=\(memcpy)/") }

  /// The copy that is measured beside the kernels of `workload`.
  public static func copying(_ workload: Workload) -> Case {
    Case(kernel: memcpy, isa: .baseline, workload: workload)
  }

  /// The command that measures this case alone.
  public var command: String {
    "blurbench run " + options.map { "--\($0.key) \($0.value)" }.joined(separator: " ")
  }

  private var options: [(key: String, value: String)] {
    if let scene = workload.scene {
      return fields.filter { ["kernel", "isa", "threads"].contains($0.key) }
        + [("scene", scene.scene), ("device", scene.device)]
    }
    return fields.filter { $0.key != "stride" && $0.key != "size" } + [("size", Size(workload.layout).text)]
  }
}

// MARK: Names

extension Case: CustomStringConvertible {
  /// The keys of a name, in order; `stride` only where rows are padded, `scene` only for scenes.
  public static let keys = ["kernel", "isa", "threads", "format", "size", "stride", "sigma", "edge", "scene"]

  static let family = "BM_Blur"

  /// The parts of the name, in order.
  public var fields: [(key: String, value: String)] {
    let layout = workload.layout
    let stride = layout.stride == layout.rowBytes ? [] : [("stride", String(layout.stride))]
    return [
      ("kernel", kernel), ("isa", isa.name), ("threads", String(workload.threads)),
      ("format", layout.format.rawValue), ("size", "\(layout.width)x\(layout.height)"),
    ] + stride + [("sigma", workload.sigma.short), ("edge", workload.edge.name)]
      + (workload.scene.map { [("scene", $0.text)] } ?? [])
  }

  /// The name in records, such as
  /// `BM_Blur/kernel=simd/isa=avx512/threads=2/format=rgba8/size=1920x1080/sigma=10/edge=clamp`.
  public var name: String {
    ([Self.family] + fields.map { "\($0.key)=\($0.value)" }).joined(separator: "/")
  }

  public var description: String { name }

  /// Reads a name back.
  ///
  /// - Throws: ``MeasurementError/usage(_:)`` that says which part of the name is wrong.
  public init(name: String) throws(MeasurementError) {
    let parts = name.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    guard parts.first == Self.family else {
      throw .usage("name '\(name)': must begin with \(Self.family)/")
    }
    var values: [String: String] = [:]
    for part in parts.dropFirst() {
      let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      guard pair.count == 2, Self.keys.contains(pair[0]) else {
        throw .usage("name '\(name)': '\(part)' is not key=value with a key of \(Self.keys.listed)")
      }
      guard values.updateValue(pair[1], forKey: pair[0]) == nil else {
        throw .usage("name '\(name)': \(pair[0]) stands there twice")
      }
    }
    let reader = FieldReader(name: name, values: values)
    kernel = try reader.read("kernel") { $0.isEmpty ? nil : $0 }
    isa = try reader.read("isa") { InstructionSet(rawValue: $0) }
    workload = try reader.workload()
  }
}

/// Reads the parts of one name.
private struct FieldReader {
  let name: String
  let values: [String: String]

  func read<Value>(_ key: String, _ convert: (String) -> Value?) throws(MeasurementError) -> Value {
    guard let text = values[key] else { throw .usage("name '\(name)': \(key)= is missing") }
    guard let value = convert(text) else {
      throw .usage("name '\(name)': \(key)=\(text) is not understood")
    }
    return value
  }

  func workload() throws(MeasurementError) -> Workload {
    let format = try read("format") { PixelFormat(rawValue: $0) }
    let size = try read("size") { Size($0) }
    let stride = values["stride"] == nil ? nil : try read("stride") { Int($0) }
    let layout: ImageLayout
    do { layout = try ImageLayout(format, width: size.width, height: size.height, stride: stride) } catch {
      throw .usage("name '\(name)': \(error)")
    }
    return Workload(
      threads: try read("threads") { Int($0).flatMap { (1...1024).contains($0) ? $0 : nil } },
      layout: layout,
      sigma: try read("sigma") { Double($0).flatMap { Sigma.allowed.contains($0) ? $0 : nil } },
      edge: try read("edge") { EdgeMode(name: $0) },
      scene: values["scene"] == nil ? nil : try read("scene") { SceneName($0) })
  }
}
