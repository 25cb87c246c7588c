import Blur
import BlurMeasurement
import BlurRecords
import BlurServer
import Foundation

/// Starts the processes that measure one of the two builds or plug-ins of a comparison.
public struct SideProcesses {
  /// The path of the program, and the paths of the plug-ins that it loads.
  public let executable: String, libraries: [String]
  /// The name of the build as the user wrote it on the command line, such as a git revision.
  let title: String
  /// The command-line options that make `blurbench run` load the external kernels of this build, or nil if
  /// there are no external kernels.
  let options: [String]?
  private let launcher: ServerLauncher
  private let files: [String]

  /// Prepares to start the processes that measure a build.
  ///
  /// - Parameters:
  ///   - title: The name of the build as the user wrote it on the command line.
  ///   - executable: The path of the program, or nil for the running program.
  ///   - launcher: The external kernels to load, and the time after which a process counts as hanging.
  public init(
    title: String, executable: String? = nil, _ launcher: ServerLauncher = ServerLauncher()
  ) throws(MeasurementError) {
    self.title = title
    options = launcher.words.isEmpty ? nil : launcher.words
    let program = executable ?? Bundle.main.executablePath ?? CommandLine.arguments[0]
    self.executable = program
    self.launcher = launcher
    libraries = try launcher.libraries()
    files = try launcher.files().map { URL(filePath: $0).path }
  }

  /// Starts a process that measures this build.
  ///
  /// - Throws: ``MeasurementError/failed(_:)`` with a message that names the build.
  public func start() throws(MeasurementError) -> ServerConnection {
    do { return try launcher.connect(executable: executable) } catch {
      throw .failed(
        "\(title): \(error). If this build is older than version \(KernelServer.version) of the protocol "
          + "between processes, measure both builds with `blurbench run`, and compare the two files of "
          + "records")
    }
  }

  /// Returns a request that asks a process of this build to prepare the case with this name for timing. If
  /// `slowdown` is above 0, the process makes the case slower by this fraction, for experiments.
  fileprivate func request(_ name: String, slowdown: Double = 0) -> BenchRequest {
    var request = BenchRequest(name, slowdown: slowdown)
    request.kernelOptions = options
    return request
  }

  /// Returns a description of the build, with the hash of each file of external kernels. The result is nil if
  /// the build is too old to identify itself.
  func build() -> String? {
    guard let program = try? start().build() else { return nil }
    let kernels = files.map { "\(URL(filePath: $0).lastPathComponent) \(BuildIdentity.hash(ofFile: $0))" }
    return ([program] + kernels).joined(separator: ", ")
  }

  /// Returns whether both sides run the same program and load the same external kernels. Only the contents of
  /// the files with external kernels are compared, not their names.
  func isSameBuild(as other: SideProcesses) -> Bool {
    guard let program = try? start().build() else { return false }
    let hashes = [files, other.files].map { $0.map(BuildIdentity.hash(ofFile:)) }
    return hashes[0] == hashes[1] && (try? other.start().build()) == program
  }
}

extension PairedComparison {
  /// Creates a comparison of two builds, the base and the head, which are timed alternately in separate
  /// processes. Three processes run the same cases: one process of the base, one of the head, and a second
  /// process of the base. The difference between the two processes of the base shows how noisy the machine
  /// is.
  ///
  /// - Parameter share: The artificial slowdown of the head for experiments, as a fraction of its time.
  public convenience init(
    _ names: [String], base: SideProcesses, head: SideProcesses, _ options: ComparisonOptions,
    slowedBy share: Double = 0, progress: @escaping (Progress) -> Void
  ) {
    let entry = { base.request(names[$0]) }
    let candidates = [
      Candidate(process: 0, entry: entry),
      Candidate(process: 1) { head.request(names[$0], slowdown: share) },
      Candidate(process: 2, isJudged: false, entry: entry),
    ]
    let sides = [base, head, base]
    self.init(names.map { [$0, $0] }, candidates, options, progress: progress) {
      (isBackwards) throws(MeasurementError) in
      var processes: [any BenchChannel] = []
      for side in isBackwards ? sides.reversed() : sides { processes.append(try side.start()) }
      return isBackwards ? processes.reversed() : processes
    }
  }

  /// Creates a comparison of several kernels. The first kernel is the base. All kernels run in one process,
  /// and each kernel has its own copy of every image.
  ///
  /// - Parameter cases: The names of the cases. Each inner list holds cases that differ only in their kernel,
  ///   with one case per kernel.
  public convenience init(
    kernels cases: [[String]], in process: SideProcesses, _ options: ComparisonOptions,
    progress: @escaping (Progress) -> Void
  ) {
    let count = cases.first?.count ?? 0
    let kernels = (0..<count).map { kernel in
      Candidate(process: 0, slot: kernel) { process.request(cases[$0][kernel]) }
    }
    let control = Candidate(process: 0, slot: count, isJudged: false) { process.request(cases[$0][0]) }
    self.init(cases, kernels + [control], options, progress: progress) { _ throws(MeasurementError) in
      [try process.start()]
    }
  }
}
