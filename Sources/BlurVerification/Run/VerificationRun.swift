import Blur

/// Kernels × properties × subjects: what `blurbench verify` runs.
public struct VerificationRun: Sendable {
  /// The kernels to check.
  public var kernels: [Kernel]
  /// The properties to check them for.
  public var properties: [Property]
  /// Formats, sigmas and edge modes (by name) to check; nil for each property's own choice.
  public var formats: [PixelFormat]?, sigmas: [Sigma]?, edgeNames: [String]?
  /// Instruction sets to use; nil for all that a kernel and this CPU have.
  public var instructionSets: [InstructionSet]?
  /// Numbers of threads to use. Property `threads` tries others by itself.
  public var threads: [Int]

  /// Makes a run; by default everything.
  public init(
    kernels: [Kernel] = Registry.kernels, properties: [Property] = Property.all, threads: [Int] = [1]
  ) {
    self.kernels = kernels
    self.properties = properties
    self.threads = threads
  }

  /// Makes all checks, on all cores.
  ///
  /// - Parameter progress: called now and then with the number of checks done and of all.
  /// - Returns: the checks, ordered by kernel and property.
  /// - Throws: ``Blur/BlurError/invalidSigma(_:)``, which no sigma of a scope does.
  public func checks(progress: (_ done: Int, _ all: Int) -> Void = { _, _ in }) throws(BlurError) -> [Check] {
    let planned = try self.planned()
    var checks: [Check] = []
    // Batches are short, for a steady progress line, and a multiple of any usual number of cores.
    for start in stride(from: 0, to: planned.count, by: 64) {
      let batch = Array(planned[start..<min(start + 64, planned.count)])
      checks += concurrentMap(batch) { kernel, property, subject in
        Check(kernel: kernel, property: property, subject: subject, outcome: property.check(kernel, subject))
      }
      progress(checks.count, planned.count)
    }
    return checks
  }

  private func planned() throws(BlurError) -> [(Kernel, Property, Subject)] {
    var planned: [(Kernel, Property, Subject)] = []
    for kernel in kernels {
      for property in properties {
        for subject in try subjects(kernel, property) { planned.append((kernel, property, subject)) }
      }
    }
    return planned
  }

  private func subjects(_ kernel: Kernel, _ property: Property) throws(BlurError) -> [Subject] {
    let sets = instructionSets ?? kernel.instructionSets.filter(\.isAvailable)
    var sigmas = self.sigmas ?? []
    if self.sigmas == nil { for sigma in property.scope.sigmas { sigmas.append(try Sigma(sigma)) } }
    var subjects: [Subject] = []
    for format in formats ?? property.scope.formats {
      for sigma in sigmas {
        for edge in (edgeNames ?? property.scope.edges).compactMap({ Subject.edge(named: $0, for: format) }) {
          for set in sets {
            subjects += threads.map {
              Subject(format, sigma: sigma, edge: edge, instructionSet: set, threads: $0)
            }
          }
        }
      }
    }
    return subjects
  }
}

/// One property of one kernel, checked on one subject.
public struct Check: Sendable {
  /// What was checked.
  public let kernel: Kernel, property: Property, subject: Subject
  /// How it went.
  public let outcome: Outcome

  /// The command that makes this check again, and no other.
  public var command: String {
    return "blurbench verify --kernel \(kernel.name) --property \(property.name) --format \(subject.format)"
      + " --sigma \(subject.sigma.spelled) --edge \(subject.edgeName) --isa \(subject.instructionSet.name)"
      + " --threads \(subject.threads)"
  }

  /// The subject in a few words.
  var place: String {
    "\(subject.format) sigma \(subject.sigma.x) \(subject.edgeName) \(subject.instructionSet.name)"
  }
}
