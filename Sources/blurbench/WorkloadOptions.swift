import ArgumentParser
import Blur
import BlurRecords
import BlurScenes

/// The command-line options that select workloads. A workload is what a kernel has to blur, for example an
/// image size, a sigma and an edge mode.
struct WorkloadOptions: ParsableArguments {
  @OptionGroup var blurs: BlurOptions
  @OptionGroup var masks: MaskOption
  @OptionGroup var scenes: SceneOptions

  /// The suite to use if the user names none.
  var usualSuite: String {
    if scenes.scene != nil || scenes.device != nil { return "scenes" }
    return masks.mask == nil || masks.mask == "none" ? "quick" : "variable"
  }

  /// Returns the comma-separated lists that the user gave, together with `kernels` as the list of kernels.
  func given(kernels: String?) -> [CaseDimension: String] {
    Self.given(kernels: kernels, blurs, masks, scenes)
  }

  /// Returns the comma-separated lists that the user gave with the given groups of options.
  static func given(
    kernels: String?, _ blurs: BlurOptions, _ masks: MaskOption, _ scenes: SceneOptions
  ) -> [CaseDimension: String] {
    let lists: [CaseDimension: String?] = [
      .kernel: kernels, .isa: blurs.isa, .pace: blurs.pace, .mask: masks.mask, .scene: scenes.scene,
      .device: scenes.device,
    ]
    return lists.compactMapValues(\.self).merging(blurs.problems.given) { $1 }
  }
}

/// The command-line options that describe a blur. Each option takes a comma-separated list of values, such as
/// `--format gray8,rgba8`.
struct BlurOptions: ParsableArguments {
  @Option(help: CaseDimension.isa.argumentHelp, completion: .dimension(.isa))
  var isa: String?
  @OptionGroup var problems: ProblemOptions
  @Option(help: CaseDimension.pace.argumentHelp, completion: .dimension(.pace)) var pace: String?
}

/// The command-line options that describe problems, for which the library chooses kernels. Each option takes
/// a comma-separated list of values.
struct ProblemOptions: ParsableArguments {
  @Option(parsing: .unconditional, help: CaseDimension.threads.argumentHelp, completion: .dimension(.threads))
  var threads: String?
  @Option(help: CaseDimension.format.argumentHelp, completion: .dimension(.format))
  var format: String?
  @Option(help: CaseDimension.size.argumentHelp) var size: String?
  @Option(parsing: .unconditional, help: CaseDimension.sigma.argumentHelp) var sigma: String?
  @Option(help: CaseDimension.edge.argumentHelp, completion: .dimension(.edge))
  var edge: String?

  /// The comma-separated lists that the user gave, such as `2,10` for sigma.
  var given: [CaseDimension: String] {
    let lists: [CaseDimension: String?] = [
      .threads: threads, .format: format, .size: size, .sigma: sigma, .edge: edge,
    ]
    return lists.compactMapValues(\.self)
  }
}

/// The option that lists masks for blurs of variable sigma.
struct MaskOption: ParsableArguments {
  @Option(help: CaseDimension.mask.argumentHelp, completion: .dimension(.mask)) var mask: String?
}

/// The command-line options for scenes and devices. A scene is a user interface effect with blurs, played
/// frame by frame on the screen of a device.
struct SceneOptions: ParsableArguments {
  @Option(help: CaseDimension.scene.argumentHelp, completion: .dimension(.scene))
  var scene: String?
  @Option(help: CaseDimension.device.argumentHelp, completion: .dimension(.device))
  var device: String?
}

extension CaseDimension {
  var argumentHelp: ArgumentHelp { ArgumentHelp(help, valueName: valueName) }
}

extension ArgumentHelp {
  /// The help of `--filter`, an option of several verbs.
  static var filter: ArgumentHelp {
    ArgumentHelp(
      "Use only the cases whose names match a regular expression, "
        + "or that have certain values, as in kernel=simd,sigma=5.",
      valueName: "regex|key=value,…")
  }
}
