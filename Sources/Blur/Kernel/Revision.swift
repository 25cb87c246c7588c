extension Registry {
  /// A text that changes with the list of kernels. It is also changed by hand whenever a kernel becomes much
  /// faster or slower. Times that were measured with another revision are ignored.
  public static let revision: String = {
    let list = kernels.map { "\($0.name):\($0.instructionSets.map { $0.name }.joined(separator: "+"))" }
      .joined(separator: ",")
    return "\(costRevision).\(FNV1a(of: list).digits.prefix(8))"
  }()

  /// The part of the revision that is counted up by hand.
  private static let costRevision = 10
}
