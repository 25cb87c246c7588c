import ArgumentParser
import Blur
import BlurRecords
import BlurVerification
import Foundation

/// The options that choose the problems and images that kernels are verified on.
struct VerificationChoices: ParsableArguments {
  @Option(
    help: "The pixel formats: \(PixelFormat.allCases.map(\.rawValue).joined(separator: ", ")).",
    completion: .formats)
  var format: String?
  @Option(parsing: .unconditional, help: "The sigmas in pixels; 5x2 is 5 across and 2 down.")
  var sigma: String?
  @Option(
    help: "The edge modes: \(Subject.edgeNames.joined(separator: ", ")).",
    completion: .words(Subject.edgeNames))
  var edge: String?
  @Option(
    help: "The instruction sets: best, all, \(InstructionSet.allCases.map(\.name).joined(separator: ", ")).",
    completion: .instructionSets)
  var isa: String?
  @Option(parsing: .unconditional, help: "The numbers of threads.", completion: .dimension(.threads))
  var threads = "1"
  @Option(help: "The image sizes, for properties that try several images.") var size: String?
  @Option(
    help: "The contents of the images: \(TestImage.allCases.map(\.rawValue).joined(separator: ", ")).",
    completion: .words(TestImage.allCases.map(\.rawValue)))
  var image: String?
  @Flag(help: "Check every image of each property, however long that takes.") var thorough = false
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "The time limit for each property, after which no further images are tried: "
        + "by default 3 seconds, or 1 if several kernels are checked."))
  var seconds: Double?
  @Option(
    help: ArgumentHelp(
      "The folder for pictures of failures, each with the image, the truth, the result and the difference.",
      valueName: "folder"), completion: .directory)
  var pictures = FileManager.default.temporaryDirectory.appending(path: "blurbench-failures").path
  @Option(help: "The folder with the golden results.", completion: .directory)
  var goldens = "Tests/Goldens"

  static let propertyNames = (Property.all + Property.variableOnly).map(\.name) + ["portable", "goldens"]

  var goldensFolder: URL { URL(fileURLWithPath: goldens, isDirectory: true) }

  /// The option `--goldens` as command-line arguments. There are none if the option has its default value.
  var goldensWords: [String] { goldens == "Tests/Goldens" ? [] : ["--goldens", goldens] }

  /// Whether the user chose problems or images.
  var isGiven: Bool { [format, sigma, edge, isa, size, image].contains { $0 != nil } }

  /// The options as command-line arguments, for a command that repeats the checks.
  var words: [String] {
    let given: [(option: String, value: String?)] = [
      ("--format", format), ("--sigma", sigma), ("--edge", edge), ("--isa", isa), ("--size", size),
      ("--image", image), ("--threads", threads), ("--goldens", goldens), ("--pictures", pictures),
      ("--seconds", seconds.map { "\($0)" }),
    ]
    var words = thorough ? ["--thorough"] : []
    for case (let option, let value?) in given { words += [option, value] }
    return words
  }

  /// Returns the verification that the options ask for.
  ///
  /// - Parameter named: a comma-separated list of properties, or nil for all of them.
  func run(properties named: String?) throws -> VerificationRun {
    try require(
      !FileManager.default.fileExists(atPath: goldens) || TextFile.isFolder(goldens),
      "--goldens \(goldens): must be a folder, but is a file")
    var run = VerificationRun(properties: Property.everything(goldens: goldensFolder))
    run.properties =
      try OptionValue.chosen(list: named, "property", from: run.properties, named: \.name)
      ?? run.properties
    run.formats = try format.map(OptionValue.formats)
    run.edgeNames = try OptionValue.chosen(list: edge, "edge mode", from: Subject.edgeNames, named: \.self)
    let sets = try OptionValue.chosen(
      list: isa, "instruction set", from: InstructionSet.allCases.map(Optional.some) + [nil],
      named: { $0?.name ?? "best" })
    run.instructionSets = sets?.compactMap(\.self)
    run.includesWidest = sets?.contains(nil) ?? false
    run.sigmas = try sigma.map { try OptionValue.items($0, "sigma").map(OptionValue.sigma) }
    run.threads = try OptionValue.threadCounts(threads)
    run.images = try images()
    run.isThorough = thorough
    if let seconds {
      guard seconds > 0 else { throw ValidationError("--seconds \(seconds): must be above 0") }
      run.seconds = seconds
    }
    return run
  }

  /// Returns a test image for each combination of the kinds and sizes that the user named, or nil if the user
  /// named none.
  private func images() throws -> [SampleImage]? {
    guard size != nil || image != nil else { return nil }
    let kinds = try OptionValue.chosen(list: image, "image", from: TestImage.allCases, named: \.rawValue)
    let sizes = try OptionValue.items(size ?? "37x29", "size").map { text in
      guard let size = Size(text) else {
        throw ValidationError("size '\(text)': must be a width and a height in pixels, such as 640x480")
      }
      return size
    }
    return sizes.flatMap { size in
      (kinds ?? [.noise]).map { SampleImage(kind: $0, width: size.width, height: size.height) }
    }
  }
}
