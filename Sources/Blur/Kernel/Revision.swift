extension Registry {
  /// A string that identifies the list of kernels and their speed. It changes automatically with the names
  /// and instruction sets of the kernels, and is changed by hand whenever a kernel becomes much faster or
  /// slower. Saved times with another revision are ignored.
  public static let revision: String = {
    let list = kernels.map { "\($0.name):\($0.instructionSets.map { $0.name }.joined(separator: "+"))" }
      .joined(separator: ",")
    return "\(costRevision).\(FNV1a(of: list).digits.prefix(8))"
  }()

  /// The number that a developer increases whenever a kernel becomes much faster or slower. It is a part of
  /// ``revision``, so that times measured before the change are ignored.
  private static let costRevision = 10
}
