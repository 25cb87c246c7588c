/// The list of kernels. Command line, tests, records and reports read it from here.
public enum Registry {
  /// Every kernel of the library, from the plainest to the most elaborate.
  public static let kernels: [Kernel] = [
    Kernel(Naive.self),
    Kernel(Separable.self),
    Kernel(BoxTriple.self),
    Kernel(ImageEffectBoxes.self),
    Kernel(DualKawase.self),
    Kernel(Stack.self),
    Kernel(StackedIntegrals.self),
    Kernel(ExtendedBox.self),
    Kernel(AlvarezMazorra.self),
    Kernel(VanVlietYoungVerbeek.self, order: 3),
    Kernel(VanVlietYoungVerbeek.self, order: 4),
    Kernel(VanVlietYoungVerbeek.self, order: 5),
    Kernel(Deriche.self, order: 2),
    Kernel(Deriche.self, order: 3),
    Kernel(Deriche.self, order: 4),
    Kernel(Fourier.self),
    Kernel(SlidingDCT.self, .fine),
    Kernel(SlidingDCT.self, .standard),
    Kernel(SIMDSeparable.self, .fine),
    Kernel(SIMDSeparable.self, .standard),
    Kernel(Pyramid.self, .fine),
    Kernel(Pyramid.self, .standard),
  ]

  /// The kernel of that name.
  ///
  /// - Throws: ``BlurError/unknownKernel(_:nearest:)``.
  public static func kernel(named name: String) throws(BlurError) -> Kernel {
    if let kernel = kernels.first(where: { $0.name == name }) { return kernel }
    throw .unknownKernel(name, nearest: NameDistance.nearest(to: name, in: kernels.map(\.name)))
  }
}

/// Finds the name somebody meant.
public enum NameDistance {
  /// The candidate with the fewest edits to `name`, if that is at most a third of its length, or 2.
  public static func nearest(to name: String, in candidates: [String]) -> String? {
    let ranked = candidates.map { (name: $0, edits: edits(name, $0)) }
    guard let best = ranked.min(by: { $0.edits < $1.edits }) else { return nil }
    return best.edits <= max(2, name.count / 3) ? best.name : nil
  }

  /// Levenshtein distance: insertions, deletions and substitutions from `a` to `b`.
  static func edits(_ a: String, _ b: String) -> Int {
    let b = Array(b.lowercased())
    var row = Array(0...b.count)
    for (i, x) in a.lowercased().enumerated() {
      var diagonal = row[0]
      row[0] = i + 1
      for (j, y) in b.enumerated() {
        let substituted = diagonal + (x == y ? 0 : 1)
        diagonal = row[j + 1]
        row[j + 1] = min(substituted, row[j] + 1, row[j + 1] + 1)
      }
    }
    return row[b.count]
  }
}
