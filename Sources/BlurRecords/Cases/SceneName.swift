import Blur

/// The name of a scene and of the device that shows the scene. Case names write it as
/// `live-status-bar@phone-3x`.
///
/// A scene is an animated user interface with blurred parts, such as a translucent status bar.
public struct SceneName: Hashable, Sendable {
  /// The name of the scene, such as `live-status-bar`.
  public let scene: String
  /// The name of the device on whose screen the scene plays, such as `phone-3x`.
  public let device: String

  /// Creates the name of a scene on a device.
  public init(_ scene: String, on device: String) {
    self.scene = scene
    self.device = device
  }

  /// Parses `SCENE@DEVICE`. Returns nil for any other text.
  public init?(_ text: String) {
    let parts = text.split(separator: "@", omittingEmptySubsequences: false).map(String.init)
    let isWord = { (word: String) in
      !word.isEmpty && word.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }
    }
    guard parts.count == 2, parts.allSatisfy(isWord) else { return nil }
    (scene, device) = (parts[0], parts[1])
  }

  /// The name written as text, in the form that the initializer parses.
  public var text: String { "\(scene)@\(device)" }
}

/// The scenes that can be measured and the devices that can show them. The module that draws the scenes
/// provides this list.
public struct SceneCatalog: Sendable {
  /// The names of all scenes and devices.
  public let scenes: [String], devices: [String]
  /// The device to use if none is specified.
  public let usualDevice: String?
  /// A closure that returns the workload of a scene: the largest blur in the scene, on one thread.
  public let workload: @Sendable (SceneName) throws(BlurError) -> Workload

  /// Creates a catalogue. If no default device is given, the first device is the default.
  public init(
    scenes: [String], devices: [String], usualDevice: String? = nil,
    workload: @escaping @Sendable (SceneName) throws(BlurError) -> Workload
  ) {
    self.scenes = scenes
    self.devices = devices
    self.usualDevice = usualDevice ?? devices.first
    self.workload = workload
  }

  /// A catalogue without scenes.
  public static let none = SceneCatalog(scenes: [], devices: []) { (name) throws(BlurError) in
    throw .invalidLayout("no scene is called \(name.text)")
  }
}
