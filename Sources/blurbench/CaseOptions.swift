import ArgumentParser
import Blur
import BlurRecords
import BlurScenes

/// The lists that name cases: one option for each ``CaseDimension``.
struct CaseOptions: ParsableArguments {
  @Option(help: CaseDimension.kernel.argumentHelp, completion: .list(Registry.all.map(\.name)))
  var kernel: String?
  @OptionGroup var workload: WorkloadOptions

  /// The lists that were given.
  var given: [CaseDimension: String] { workload.given(kernels: kernel) }
}

/// The lists that name what kernels work on.
struct WorkloadOptions: ParsableArguments {
  @Option(help: CaseDimension.isa.argumentHelp, completion: .list(InstructionSet.allCases.map(\.name)))
  var isa: String?
  @Option(help: CaseDimension.threads.argumentHelp) var threads: String?
  @Option(help: CaseDimension.format.argumentHelp, completion: .list(PixelFormat.allCases.map(\.rawValue)))
  var format: String?
  @Option(help: CaseDimension.size.argumentHelp) var size: String?
  @Option(parsing: .unconditional, help: CaseDimension.sigma.argumentHelp) var sigma: String?
  @Option(help: CaseDimension.edge.argumentHelp, completion: .list(EdgeMode.all.map(\.name)))
  var edge: String?
  @Option(help: CaseDimension.pace.argumentHelp) var pace: String?
  @Option(help: CaseDimension.mask.argumentHelp, completion: .list(MaskShape.names)) var mask: String?
  @Option(help: CaseDimension.scene.argumentHelp, completion: .list(SceneCatalog.interface.scenes))
  var scene: String?
  @Option(help: CaseDimension.device.argumentHelp, completion: .list(SceneCatalog.interface.devices))
  var device: String?

  /// Whether scenes are meant.
  var namesScenes: Bool { scene != nil || device != nil }

  /// The suite that is meant where none is named.
  var usualSuite: String {
    if namesScenes { return "scenes" }
    return mask == nil || mask == "none" ? "quick" : "variable"
  }

  /// The lists that were given, with a list of kernels.
  func given(kernels: String?) -> [CaseDimension: String] {
    let lists: [CaseDimension: String?] = [
      .kernel: kernels, .isa: isa, .threads: threads, .format: format, .size: size, .sigma: sigma,
      .edge: edge, .pace: pace, .mask: mask, .scene: scene, .device: device,
    ]
    return lists.compactMapValues(\.self)
  }
}

extension CaseDimension {
  fileprivate var argumentHelp: ArgumentHelp { ArgumentHelp(help, valueName: valueName) }
}
