/// What a kernel plans for; all choices are resolved.
public struct BlurProblem: Hashable, Sendable {
  public let layout: ImageLayout
  public let sigma: Sigma
  public let edge: EdgeMode
  public let region: Region
  public let instructionSet: InstructionSet
  public let threads: Int
}
