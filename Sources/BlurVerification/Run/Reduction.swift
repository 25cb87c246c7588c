import Blur

extension Subject {
  /// Returns simpler conditions under which a check still fails: fewer pixels, a smaller sigma, simpler image
  /// content or fewer threads.
  ///
  /// As in QuickCheck (Claessen and Hughes, 2000), the first simpler subject that fails replaces the current
  /// one. The search ends when none of the simpler subjects fails.
  ///
  /// - Parameters:
  ///   - attempts: The maximum number of subjects to try.
  ///   - fails: A closure that returns whether the check fails for a subject.
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

  /// The subjects that are simpler than this one in one respect. Images of half the size come first, and
  /// images that are only slightly smaller come last.
  private var smaller: [Subject] {
    // Half the size and half the size plus 1 are both tried, because some failures occur only for even sizes
    // or only for odd ones.
    resized { [$0 / 2, $0 / 2 + 1] } + simplerImages + smallerSigmas
      + (threads > 1 ? [with(\.threads, 1)] : []) + resized { [1, 2, 3, $0 - 2, $0 - 1] }
  }

  /// Returns copies of the subject with a smaller image. The closure `lengths` receives the width or the
  /// height and returns smaller values to try. Each copy has one of these values as its width or its height.
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

  fileprivate func with<Value>(_ part: WritableKeyPath<Subject, Value>, _ value: Value) -> Subject {
    var copy = self
    copy[keyPath: part] = value
    return copy
  }
}

extension Check {
  /// Looks for simpler conditions under which this check still fails, and returns the failed check under the
  /// simplest conditions found. Returns this check itself if it passed or cannot be reduced.
  ///
  /// - Parameter begins: A closure that is called before each attempt.
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

  /// Looks for a similar failure that the user can repeat with a command. If the property of this check makes
  /// its own test image, no command-line option can select that image. This method therefore runs the same
  /// kernel on test images that have names. Returns a failed check with an image that is as small as
  /// possible. Returns nil if the image of this check already has a name, or if the kernel blurs the named
  /// images correctly.
  ///
  /// - Parameter begins: A closure that is called before each attempt.
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

  /// The checks to try if this check has crashed its process and its test image has no name. They run the
  /// same kernel on named images, so that the user can repeat the crash with a command. The array is empty if
  /// the image of this check has a name.
  public var onNamedImages: [Check] {
    subjectsWithImages.map { Check(kernel: kernel, property: .shapes, subject: $0, outcome: outcome) }
  }

  /// Copies of this subject with named test images, or an empty array if the subject already has an image.
  private var subjectsWithImages: [Subject] {
    guard subject.image == nil else { return [] }
    return [(TestImage.noise, 37, 29), (.extremes, 67, 21), (.noise, 130, 40)].map { kind, width, height in
      subject.with(\.image, SampleImage(kind: kind, width: width, height: height))
    }
  }
}
