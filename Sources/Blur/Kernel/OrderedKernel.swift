/// A family of filters of rising order: more work for each sample, and a smaller error.
///
/// The list of kernels has an entry for each order, which ``BlurParameters/order`` hands to the plan.
public protocol OrderedKernel: BlurKernel {
  /// The orders there are.
  static var orders: ClosedRange<Int> { get }
  /// What the filter of that order claims about its error.
  static func promise(order: Int) -> Promise
}

extension OrderedKernel {
  /// The order that is planned: the lowest where none of the family's is asked for.
  static func order(_ parameters: BlurParameters) -> Int {
    orders.contains(parameters.order) ? parameters.order : orders.lowerBound
  }

  /// The weakest claim of the family.
  public static var promise: Promise { promise(order: orders.lowerBound) }
}
