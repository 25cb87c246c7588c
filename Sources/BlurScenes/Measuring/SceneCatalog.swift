import Blur
import BlurRecords

extension SceneCatalog {
  /// The catalog of the scenes and devices in this module.
  public static let interface = SceneCatalog(
    scenes: Scene.all.map(\.name), devices: Device.all.map(\.name), usualDevice: "phone-3x"
  ) { (name) throws(BlurError) in
    guard let scene = Scene.named(name.scene), let device = Device.named(name.device) else {
      throw .invalidLayout("there is no scene or device with the name \(name.text)")
    }
    let player = try ScenePlayer(scene, Stage(device))
    return Workload(
      threads: 1, layout: player.blurred, sigma: player.sigma, edge: player.edge, scene: name)
  }
}
