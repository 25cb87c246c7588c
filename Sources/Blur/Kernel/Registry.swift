/// The list of kernels. The command line, the tests, the records and the reports all use this list.
public enum Registry {
  /// Every kernel of the library, from the simplest to the most elaborate.
  public static let kernels: [Kernel] = [
    Kernel(Naive()),
    Kernel(Separable()),
    Kernel(BoxTriple()),
    Kernel(ImageEffectBoxes()),
    Kernel(DualKawase()),
    Kernel(Stack()),
    Kernel(StackedIntegrals()),
    Kernel(ExtendedBox()),
    Kernel(AlvarezMazorra()),
    Kernel(VanVlietYoungVerbeek(order: 3)),
    Kernel(VanVlietYoungVerbeek(order: 4)),
    Kernel(VanVlietYoungVerbeek(order: 5)),
    Kernel(Deriche(order: 2)),
    Kernel(Deriche(order: 3)),
    Kernel(Deriche(order: 4)),
    Kernel(Fourier()),
    Kernel(SlidingDCT(.fine)),
    Kernel(SlidingDCT(.standard)),
    Kernel(SIMDSeparable(.fine)),
    Kernel(SIMDSeparable(.standard)),
    Kernel(Pyramid(.fine)),
    Kernel(Pyramid(.standard)),
  ]

  /// Returns the kernel with the given name.
  ///
  /// - Throws: ``BlurError/unknownKernel(_:nearest:)``.
  public static func kernel(named name: String) throws(BlurError) -> Kernel {
    if let kernel = kernels.first(where: { $0.name == name }) { return kernel }
    throw .unknownKernel(name, nearest: nearestName(to: name, in: kernels.map { $0.name }))
  }

  /// A string that identifies the list of kernels and their speed. It changes automatically if the names or
  /// instruction sets of the kernels change. A developer changes it by hand whenever a kernel becomes much
  /// faster or slower. Saved times with another revision are ignored.
  public static let revision: String = {
    let list = kernels.map { "\($0.name):\($0.instructionSets.map { $0.name }.joined(separator: "+"))" }
      .joined(separator: ",")
    return "\(costRevision).\(FNV1a(of: list).digits.prefix(8))"
  }()

  /// The number that a developer increases whenever a kernel becomes much faster or slower. It is a part of
  /// ``revision``, so that times measured before the change are ignored.
  private static let costRevision = 12
}
