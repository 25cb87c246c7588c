extension Registry {
  /// Changes with the kernels: their list, and by hand whenever one becomes much faster or slower. Times of
  /// another revision are not believed.
  public static let revision: String = {
    let list = kernels.map { "\($0.name):\($0.instructionSets.map { $0.name }.joined(separator: "+"))" }
      .joined(separator: ",")
    return "\(costRevision).\(FNV1a(of: list).digits.prefix(8))"
  }()

  /// The number that is counted up by hand.
  private static let costRevision = 10
}
