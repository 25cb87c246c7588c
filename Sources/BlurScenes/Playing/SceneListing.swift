import BlurText

/// The scenes and devices that `blurbench list --scenes` prints.
public struct SceneListing: Encodable, Sendable {
  let scenes = Scene.all, devices = Device.all

  /// Creates the list of all scenes and devices of this build.
  public init() {}

  /// The list as plain text.
  public var text: String {
    let entries = scenes.map { scene in
      "\(scene.name)  (\(scene.frames) frames)\n  \(scene.summary)\n\(Self.wrapped(scene.why))\n"
    }
    let screens = Table<Device>([
      Column { $0.name }, Column { "\($0.width)x\($0.height)" },
      Column { "\(Int($0.scale)) pixels per point" },
    ])
    return entries.joined(separator: "\n") + "\ndevices\n"
      + screens.text(devices, indent: 3) + "\n"
  }

  /// Returns the list as one JSON object.
  public func json() throws -> String { try JSONDocument.text(of: self) }

  /// Returns the text, indented and wrapped into lines of at most 100 columns.
  private static func wrapped(_ text: String) -> String {
    var lines = ["   "]
    for word in text.split(separator: " ") {
      if lines[lines.count - 1].count + word.count + 1 > 100 { lines.append("   ") }
      lines[lines.count - 1] += " " + word
    }
    return lines.joined(separator: "\n")
  }
}
