import ArgumentParser
import Blur
import BlurRecords
import BlurScenes

/// The command-line options that select workloads. A workload describes what a kernel has to do: blur an
/// image of a certain size, with a certain sigma, edge mode and so on. Each option takes a comma-separated
/// list of values, such as `--format gray8,rgba8`.
struct WorkloadOptions: ParsableArguments {
  @Option(help: CaseDimension.isa.argumentHelp, completion: .dimension(.isa))
  var isa: String?
  @OptionGroup var problems: ProblemOptions
  @Option(help: CaseDimension.alpha.argumentHelp, completion: .dimension(.alpha))
  var alpha: String?
  @Option(help: CaseDimension.scene.argumentHelp, completion: .dimension(.scene))
  var scene: String?
  @Option(help: CaseDimension.device.argumentHelp, completion: .dimension(.device))
  var device: String?

  /// Returns the name of the suite to use if the user does not give `--suite`. `mask` is the value of the
  /// option `--mask`, or nil if the user does not give this option.
  func usualSuite(mask: String?) -> String {
    if scene != nil || device != nil { return "scenes" }
    return mask == nil || mask == "none" ? "quick" : "variable"
  }

  /// Returns the comma-separated lists that the user gave. The parameters are the lists of the options that
  /// only some commands have: `--kernel`, `--mask` and `--pace`.
  func given(kernels: String?, mask: String? = nil, pace: String? = nil) -> [CaseDimension: String] {
    let lists: [CaseDimension: String?] = [
      .kernel: kernels, .isa: isa, .alpha: alpha, .pace: pace, .mask: mask, .scene: scene,
      .device: device,
    ]
    return lists.compactMapValues(\.self).merging(problems.given) { $1 }
  }
}

/// The command-line options that describe blur problems. A problem is an image format and size, a sigma, an
/// edge mode and a number of threads. Each option takes a comma-separated list of values.
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

extension CaseDimension {
  var argumentHelp: ArgumentHelp { ArgumentHelp(help, valueName: valueName) }
}

extension ArgumentHelp {
  /// The help text of `--filter`, which is an option of several verbs.
  static var filter: ArgumentHelp {
    ArgumentHelp(
      "A regular expression that the names of the cases must match, "
        + "or a list of values that the cases must have, such as kernel=simd,sigma=5.",
      valueName: "regex|key=value,…")
  }
}
