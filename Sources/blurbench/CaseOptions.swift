import ArgumentParser
import Blur
import BlurRecords
import BlurScenes

/// The lists that name cases: one option for each ``CaseDimension``.
struct CaseOptions: ParsableArguments {
  @Option(help: CaseDimension.kernel.argumentHelp, completion: .dimension(.kernel))
  var kernel: String?
  @OptionGroup var workload: WorkloadOptions

  /// The lists that were given.
  var given: [CaseDimension: String] { workload.given(kernels: kernel) }
}

/// The lists that name what kernels work on.
struct WorkloadOptions: ParsableArguments {
  @Option(help: CaseDimension.isa.argumentHelp, completion: .dimension(.isa))
  var isa: String?
  @Option(help: CaseDimension.threads.argumentHelp, completion: .dimension(.threads)) var threads: String?
  @Option(help: CaseDimension.format.argumentHelp, completion: .dimension(.format))
  var format: String?
  @Option(help: CaseDimension.size.argumentHelp) var size: String?
  @Option(parsing: .unconditional, help: CaseDimension.sigma.argumentHelp) var sigma: String?
  @Option(help: CaseDimension.edge.argumentHelp, completion: .dimension(.edge))
  var edge: String?
  @Option(help: CaseDimension.pace.argumentHelp, completion: .dimension(.pace)) var pace: String?
  @Option(help: CaseDimension.mask.argumentHelp, completion: .dimension(.mask)) var mask: String?
  @Option(help: CaseDimension.scene.argumentHelp, completion: .dimension(.scene))
  var scene: String?
  @Option(help: CaseDimension.device.argumentHelp, completion: .dimension(.device))
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
