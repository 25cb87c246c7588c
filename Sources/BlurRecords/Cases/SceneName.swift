import Blur

/// An interface scene on a device: `live-status-bar@phone-3x` in the names of cases.
public struct SceneName: Hashable, Sendable {
  /// The scene, such as `live-status-bar`.
  public let scene: String
  /// The screen that it plays on, such as `phone-3x`.
  public let device: String

  /// Names a scene on a device.
  public init(_ scene: String, on device: String) {
    self.scene = scene
    self.device = device
  }

  /// Reads `SCENE@DEVICE`; nil for anything else.
  public init?(_ text: String) {
    let parts = text.split(separator: "@", omittingEmptySubsequences: false).map(String.init)
    let isWord = { (word: String) in
      !word.isEmpty && word.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }
    }
    guard parts.count == 2, parts.allSatisfy(isWord) else { return nil }
    (scene, device) = (parts[0], parts[1])
  }

  /// The text that reads back as this name.
  public var text: String { "\(scene)@\(device)" }
}

/// The scenes that can be measured, as the module that draws them says.
public struct SceneCatalog: Sendable {
  /// The names of scenes and of devices.
  public let scenes: [String], devices: [String]
  /// The device that is meant where none is named.
  public let usualDevice: String?
  /// What is blurred in a scene, on one thread.
  public let workload: @Sendable (SceneName) throws(BlurError) -> Workload

  /// Lists scenes; the usual device is the first, if none is named.
  public init(
    scenes: [String], devices: [String], usualDevice: String? = nil,
    workload: @escaping @Sendable (SceneName) throws(BlurError) -> Workload
  ) {
    self.scenes = scenes
    self.devices = devices
    self.usualDevice = usualDevice ?? devices.first
    self.workload = workload
  }

  /// No scenes at all.
  public static let none = SceneCatalog(scenes: [], devices: []) { (name) throws(BlurError) in
    throw .invalidLayout("no scene is called \(name.text)")
  }
}
