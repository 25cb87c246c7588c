enum CostTable {
  static let sizes = [(64, 48)]
  static let sigmas = [1.0]
  static let text = ""
}
