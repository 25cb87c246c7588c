import ArgumentParser
import Blur
import BlurImageIO
import Foundation

/// `blurbench blur`: an image file blurred by one kernel.
struct BlurCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "blur",
    abstract: "Blur an image file: PNG (8 and 16 bits, gray, RGB, RGBA), PNM, PAM or PFM.",
    discussion: """
      Alpha is straight in files and premultiplied inside, so that transparent edges get no dark halo.

      Exit codes: 0 good, 1 could not do it, 64 usage.
      """)

  @Argument(help: "The picture to read.") var input: String
  @Argument(help: "The picture to write; its ending names the format.") var output: String
  @Option(parsing: .unconditional, help: "Standard deviation in pixels; 5x2 is 5 across and 2 down.")
  var sigma: String
  @Option(help: "A kernel by name, or auto: the fastest that keeps --max-error.") var kernel = "auto"
  @Option(help: "What is beyond the image: \(EdgeMode.all.map(\.name).joined(separator: ", ")).")
  var edge = "clamp"
  @Option(help: "Number of threads, or all.") var threads = "1"
  @Option(help: "The widest instruction set to use.") var isa = InstructionSet.best.name
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The largest error that the kernel may promise.", valueName: "levels"))
  var maxError: Double?
  @Flag(name: .shortAndLong, help: "Say on standard error what was done.") var verbose = false

  func validate() throws {
    _ = try Words.sigma(sigma)
    _ = try Words.edge(edge)
    _ = try Words.threads(threads)
    _ = try Words.chosen(isa, "instruction set", from: InstructionSet.allCases, named: \.name)
    if kernel != "auto" { _ = try Words.chosen(kernel, "kernel", from: Registry.kernels, named: \.name) }
    if let maxError, !(maxError >= 0 && maxError.isFinite) {
      throw ValidationError("--max-error \(maxError): must be a number of levels from 0")
    }
    do { try ImageFile.checkEnding(of: output) } catch { throw ValidationError("\(error)") }
  }

  func run() throws {
    var picture = try ImageFile.read(input)
    let layout = picture.image.layout
    let parameters = BlurParameters(
      sigma: try Words.sigma(sigma), edge: try Words.edge(edge), instructionSet: try Words.instructionSet(isa)
    )
    let plan = try plan(for: layout, parameters)
    var result = try Image(layout)
    let time = try ContinuousClock().measure { try plan.blur(picture.image, into: &result) }
    picture.image = result
    try ImageFile.write(picture, to: output)
    if verbose {
      let set = plan.parameters.instructionSet.name
      Terminal.say(
        "\(layout.format) \(layout.width)x\(layout.height), sigma \(sigma), edge \(edge): \(plan.kernel.name), "
          + "\(set), \(plan.threads) thread(s), \(time)")
      if let choice = plan.choice { Terminal.say("chosen: \(choice)") }
      if let path = Chooser.shared.path { Terminal.say("wisdom: \(path)") }
    }
  }

  private func plan(for layout: ImageLayout, _ parameters: BlurParameters) throws -> BlurPlan {
    let threads = try Words.threads(threads)
    guard kernel != "auto" else {
      return try BlurPlan(
        for: layout, parameters, accuracy: .levels(maxError ?? 1), threads: threads)
    }
    let named = try Registry.kernel(named: kernel)
    if let maxError, !ErrorBound.levels(maxError).allows(named, for: layout.format) {
      throw ValidationError(
        "kernel \(named.name) promises '\(named.promise.description)', not an error of at most \(maxError) levels"
      )
    }
    return try BlurPlan(named, for: layout, parameters, threads: threads)
  }
}
