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

  @Option(help: "List only these kernels, by name.", completion: .kernels) var kernel: String?
  @OptionGroup var plugins: PluginOptions
  @Flag(help: "List the interface scenes and devices instead, with an explanation of each scene.")
  var scenes = false
  @Flag(help: "Print one JSON object.") var json = false
  @Flag(help: "Print the kernels as CSV.") var csv = false

  func validate() throws {
    if !plugins.isGiven { _ = try kernels }
    if json && csv { throw ValidationError("--json and --csv cannot be combined") }
    if scenes && (csv || kernel != nil || plugins.isGiven) {
      throw ValidationError("--scenes can only be combined with --json")
    }
  }

  func run() throws {
    if scenes {
      let listing = SceneListing()
      return print(json ? try listing.json() : listing.text, terminator: "")
    }
    let listing = KernelListing(try kernels, suites: Suite.builtIn)
    print(json ? try listing.json() : csv ? listing.csv : listing.text, terminator: "")
  }

  private var kernels: [Kernel] {
    get throws {
      let all = try Registry.kernels + plugins.placeholders()
      return try OptionValue.kernels(kernel, from: all)
    }
  }
}
