import ArgumentParser
import BlurMeasurement
import BlurRecords

/// The lists that name cases.
struct CaseLists: ParsableArguments {
  @Option(help: "Kernels by name, or all.") var kernel: String?
  @OptionGroup var workload: WorkloadLists

  /// The lists that were given, by option.
  var given: [String: String] { workload.given(kernels: kernel) }
}

/// The lists that name what kernels work on.
struct WorkloadLists: ParsableArguments {
  @Option(help: "Instruction sets: best, all, or the widest allowed (baseline, avx2, avx512).")
  var isa: String?
  @Option(help: "Numbers of threads; all is one for each core.") var threads: String?
  @Option(help: "Pixel formats, or all.") var format: String?
  @Option(help: ArgumentHelp("Sizes; +P adds P bytes of padding to each row.", valueName: "WxH[+P]"))
  var size: String?
  @Option(parsing: .unconditional, help: "Standard deviations in pixels.") var sigma: String?
  @Option(help: "Edge modes, or all.") var edge: String?
  @Option(help: "Interface scenes instead of blurs, or all.") var scene: String?
  @Option(help: "The screens that scenes play on, or all.") var device: String?

  /// Whether scenes are meant.
  var namesScenes: Bool { scene != nil || device != nil }

  /// The lists that were given, by option, with a list of kernels.
  func given(kernels: String?) -> [String: String] {
    let lists = [
      "kernel": kernels, "isa": isa, "threads": threads, "format": format, "size": size, "sigma": sigma,
      "edge": edge, "scene": scene, "device": device,
    ]
    return lists.compactMapValues { $0 }
  }
}
