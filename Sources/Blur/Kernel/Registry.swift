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
    throw .unknownKernel(name, nearest: NameDistance.nearest(to: name, in: kernels.map { $0.name }))
  }
}
