import ArgumentParser
import Blur
import BlurRecords
import BlurScenes

/// The options that select cases: one comma-separated list for each ``CaseDimension``.
struct CaseOptions: ParsableArguments {
  @Option(help: CaseDimension.kernel.argumentHelp, completion: .dimension(.kernel))
  var kernel: String?
  @OptionGroup var workload: WorkloadOptions

  /// The lists that the user gave on the command line, by dimension.
  var given: [CaseDimension: String] { workload.given(kernels: kernel) }
}

/// The options that select workloads, that is, everything about a case except its kernel.
struct WorkloadOptions: ParsableArguments {
  @OptionGroup var blurs: BlurOptions
  @OptionGroup var masks: MaskOption
  @OptionGroup var scenes: SceneOptions

  /// The suite to use if the user names none.
  var usualSuite: String {
    if scenes.scene != nil || scenes.device != nil { return "scenes" }
    return masks.mask == nil || masks.mask == "none" ? "quick" : "variable"
  }

  /// Returns the lists that the user gave, by dimension, together with a list of kernels.
  func given(kernels: String?) -> [CaseDimension: String] {
    SelectionOptions.given(kernels: kernels, blurs, masks, scenes)
  }
}

/// The options of `blurbench select`: they describe blurs with one sigma, and scenes.
struct SelectionOptions: ParsableArguments {
  @Option(help: CaseDimension.kernel.argumentHelp, completion: .dimension(.kernel))
  var kernel: String?
  @OptionGroup var blurs: BlurOptions
  /// `select` does not support masks. The option is accepted so that the error message can name the verb that
  /// does.
  @OptionGroup(visibility: .hidden) var masks: MaskOption
  @OptionGroup var scenes: SceneOptions

  /// The lists that the user gave on the command line, by dimension.
  var given: [CaseDimension: String] { Self.given(kernels: kernel, blurs, masks, scenes) }

  fileprivate static func given(
    kernels: String?, _ blurs: BlurOptions, _ masks: MaskOption, _ scenes: SceneOptions
  ) -> [CaseDimension: String] {
    let lists: [CaseDimension: String?] = [
      .kernel: kernels, .isa: blurs.isa, .threads: blurs.threads, .format: blurs.format, .size: blurs.size,
      .sigma: blurs.sigma, .edge: blurs.edge, .pace: blurs.pace, .mask: masks.mask, .scene: scenes.scene,
      .device: scenes.device,
    ]
    return lists.compactMapValues(\.self)
  }
}

/// The options that describe blurs: one list for each dimension of a blur.
struct BlurOptions: ParsableArguments {
  @Option(help: CaseDimension.isa.argumentHelp, completion: .dimension(.isa))
  var isa: String?
  @Option(parsing: .unconditional, help: CaseDimension.threads.argumentHelp, completion: .dimension(.threads))
  var threads: String?
  @Option(help: CaseDimension.format.argumentHelp, completion: .dimension(.format))
  var format: String?
  @Option(help: CaseDimension.size.argumentHelp) var size: String?
  @Option(parsing: .unconditional, help: CaseDimension.sigma.argumentHelp) var sigma: String?
  @Option(help: CaseDimension.edge.argumentHelp, completion: .dimension(.edge))
  var edge: String?
  @Option(help: CaseDimension.pace.argumentHelp, completion: .dimension(.pace)) var pace: String?
}

/// The option that lists masks for blurs of variable sigma.
struct MaskOption: ParsableArguments {
  @Option(help: CaseDimension.mask.argumentHelp, completion: .dimension(.mask)) var mask: String?
}

/// The options that list interface scenes and the devices to play them on.
struct SceneOptions: ParsableArguments {
  @Option(help: CaseDimension.scene.argumentHelp, completion: .dimension(.scene))
  var scene: String?
  @Option(help: CaseDimension.device.argumentHelp, completion: .dimension(.device))
  var device: String?
}

extension CaseDimension {
  fileprivate var argumentHelp: ArgumentHelp { ArgumentHelp(help, valueName: valueName) }
}
