import Blur

extension Subject {
  /// A smaller subject that still fails: fewer pixels, a smaller sigma, simpler content, fewer threads.
  ///
  /// As in QuickCheck (Claessen and Hughes, 2000), the first smaller one that fails takes the place of the
  /// one before, until none does.
  ///
  /// - Parameters:
  ///   - attempts: how many are tried at most.
  ///   - fails: whether a subject still fails.
  public func reduced(attempts: Int, _ fails: (Subject) throws -> Bool) rethrows -> Subject {
    var (best, left) = (self, attempts)
    var tried: Set<Subject> = []
    search: while true {
      for smaller in best.smaller where tried.insert(smaller).inserted {
        left -= 1
        if left < 0 { break search }
        if try fails(smaller) {
          best = smaller
          continue search
        }
      }
      break
    }
    return best
  }

  /// Subjects that are a step smaller, the largest steps first.
  private var smaller: [Subject] {
    // Half, as an even and as an odd number: some failures are of the one alone.
    resized { [$0 / 2, $0 / 2 + 1] } + simplerImages + smallerSigmas
      + (threads > 1 ? [with(\.threads, 1)] : []) + resized { [1, 2, 3, $0 - 2, $0 - 1] }
  }

  /// With a smaller width or height, of those that are given for each.
  private func resized(_ lengths: (Int) -> [Int]) -> [Subject] {
    guard let image else { return [] }
    var subjects: [Subject] = []
    for (width, height) in zip(lengths(image.width), lengths(image.height)) {
      for (width, height) in [(width, image.height), (image.width, height)] {
        guard (1...image.width).contains(width), (1...image.height).contains(height) else { continue }
        let smaller = SampleImage(kind: image.kind, width: width, height: height)
        if smaller != image { subjects.append(with(\.image, smaller)) }
      }
    }
    return subjects
  }

  private var simplerImages: [Subject] {
    guard let image, [.noise, .extremes, .checkerboard, .step].contains(image.kind) else { return [] }
    return [TestImage.impulse, .step, .checkerboard].prefix { $0 != image.kind }
      .map { with(\.image, SampleImage(kind: $0, width: image.width, height: image.height)) }
  }

  private var smallerSigmas: [Subject] {
    let plain = [0.5, 1, 2, 5, 10, 20, 50, 100]
    let both = plain.prefix { $0 < max(sigma.x, sigma.y) }.compactMap { try? Sigma($0) }
    let single = [try? Sigma(x: sigma.x, y: 0), try? Sigma(x: 0, y: sigma.y)].compactMap { $0 }
    return (both + single.filter { $0 != sigma && $0.x + $0.y > 0 }).map { with(\.sigma, $0) }
  }

  private func with<Value>(_ part: WritableKeyPath<Subject, Value>, _ value: Value) -> Subject {
    var copy = self
    copy[keyPath: part] = value
    return copy
  }
}

extension Check {
  /// A failure of the same property on the smallest subject that was found to have one; itself where it
  /// passed.
  ///
  /// - Parameter begins: called before each attempt.
  public func reduced(begins: () -> Void = {}) -> Check {
    guard case .failed = outcome else { return self }
    let end = ContinuousClock.now + .seconds(3)
    let subject = subject.reduced(attempts: 300) { smaller in
      guard ContinuousClock.now < end else { return false }
      begins()
      if case .failed = property.check(kernel, smaller) { return true }
      return false
    }
    let outcome = property.check(kernel, subject)
    guard case .failed = outcome else { return self }
    return Check(kernel: kernel, property: property, subject: subject, outcome: outcome)
  }

  /// For a failure of a property that makes its own images: what shows it on the smallest image that has a
  /// name. Nil where those are blurred as they should be.
  ///
  /// - Parameter begins: called before each attempt.
  public func onSmallestImage(begins: () -> Void = {}) -> Check? {
    guard case .failed = outcome else { return nil }
    for subject in subjectsWithImages {
      begins()
      let outcome = Property.shapes.check(kernel, subject)
      guard case .failed = outcome else { continue }
      return Check(kernel: kernel, property: .shapes, subject: subject, outcome: outcome)
        .reduced(begins: begins)
    }
    return nil
  }

  /// The same for a failure that ends a process: checks of images that have a name, which may end one too.
  public var onNamedImages: [Check] {
    subjectsWithImages.map { Check(kernel: kernel, property: .shapes, subject: $0, outcome: outcome) }
  }

  /// The subject of a property that makes its own images, with some that have a name; none otherwise.
  private var subjectsWithImages: [Subject] {
    guard subject.image == nil else { return [] }
    return [(TestImage.noise, 37, 29), (.extremes, 67, 21), (.noise, 130, 40)].map { kind, width, height in
      var subject = subject
      subject.image = SampleImage(kind: kind, width: width, height: height)
      return subject
    }
  }
}
