import ArgumentParser
import Blur
import BlurRecords
import BlurScenes
import BlurVerification

/// The verb `blurbench list`, which lists kernels, suites and scenes and what each kernel supports.
struct ListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract:
      "List kernels, formats, edge modes, instruction sets and suites, and what each kernel supports.",
    discussion: """
      Examples:
        blurbench list --kernel simd
        blurbench list --scenes
      """)

  @Option(help: "The kernels to list: a comma-separated list of names.", completion: .kernels)
  var kernel: String?
  @OptionGroup var plugins: PluginOptions
  @Flag(help: "List the interface scenes and devices instead, with an explanation of each scene.")
  var scenes = false
  @Flag(help: "Print one JSON object.") var json = false
  @Flag(help: "Print the kernels as CSV.") var csv = false

  func validate() throws {
    if !plugins.isGiven { _ = try OptionValue.kernels(kernel, from: Registry.kernels) }
    if json && csv { throw ValidationError("--json and --csv cannot be combined") }
    if scenes && (csv || kernel != nil || plugins.isGiven) {
      throw ValidationError("--scenes cannot be combined with --csv, --kernel or plug-ins")
    }
  }

  mutating func run() throws {
    if scenes {
      let listing = SceneListing()
      return print(json ? try listing.json() : listing.text, terminator: "")
    }
    let external = try plugins.load()
    let kernels = try OptionValue.kernels(kernel, from: Registry.kernels + external.kernels)
    let listing = KernelListing(kernels, suites: Suite.builtIn)
    print(json ? try listing.json() : csv ? listing.csv : listing.text, terminator: "")
    try external.expectComplete()
  }
}
