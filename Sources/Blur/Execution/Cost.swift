/// The operation counts of a blur, as reported by its kernel. ``CostConstants`` turns these counts into a
/// time.
package struct Cost: Hashable, Sendable {
  /// The number of vector instructions in the inner loops, counted for vectors that are as wide as the
  /// instruction set allows.
  package var vectors = 0.0
  /// The number of partial vector loads, which are needed if a row is shorter than a vector.
  package var partials = 0.0
  /// The number of scalar operations. Copying a number, an address or a pixel counts as one operation.
  package var scalars = 0.0
  /// The number of times that an inner loop is started for a row. Each start has a fixed cost, no matter how
  /// short the row is.
  package var rows = 0.0
  /// The maximum number of threads that can share the work.
  package var pieces = 1.0
  /// The number of phases of the blur. All threads share the work of each phase, and each phase begins when
  /// the one before it is finished.
  package var phases = 1

  /// Creates a cost with the given operation counts. By default, the work is a single phase that one thread
  /// does alone. Set ``phases`` and ``pieces`` to change this.
  package init(vectors: Double = 0, partials: Double = 0, scalars: Double = 0, rows: Double = 0) {
    (self.vectors, self.partials, self.scalars, self.rows) = (vectors, partials, scalars, rows)
  }

  /// Returns the cost of doing the work `a` and then the work `b`. The operation counts are added. The number
  /// of threads that can share the work (``pieces``) and the number of ``phases`` are each the larger of the
  /// two values from `a` and `b`.
  package static func + (a: Cost, b: Cost) -> Cost {
    var sum = Cost(
      vectors: a.vectors + b.vectors, partials: a.partials + b.partials, scalars: a.scalars + b.scalars,
      rows: a.rows + b.rows)
    (sum.pieces, sum.phases) = (max(a.pieces, b.pieces), max(a.phases, b.phases))
    return sum
  }

  /// Returns the cost of doing the work `times` times.
  package static func * (cost: Cost, times: Double) -> Cost {
    var product = Cost(
      vectors: cost.vectors * times, partials: cost.partials * times, scalars: cost.scalars * times,
      rows: cost.rows * times)
    (product.pieces, product.phases) = (cost.pieces, cost.phases)
    return product
  }

  /// The cost of a kernel that does not count its operations. Such a kernel is chosen only if it was
  /// measured, or if no other kernel promises to stay within the error bound.
  package static let unknown = Cost(scalars: .infinity)
}

extension Double {
  /// Returns the number of blocks of length `size` that are needed to cover a length of `self`. The last
  /// block may reach beyond the end.
  func pieces(of size: Int) -> Double { (self / Double(size)).rounded(.up) }
}

extension BlurParameters {
  /// Returns the work for the wanted region as a fraction of the work for the whole image. The fraction is
  /// the number of pixels within three sigma of the region, divided by the number of all pixels. Kernels also
  /// read some pixels that are farther away. These pixels are not counted, because they cause less work.
  func shareOfWork(_ layout: ImageLayout) -> Double {
    guard let region else { return 1 }
    let (x, y) = (Int((3 * sigma.x).rounded(.up)), Int((3 * sigma.y).rounded(.up)))
    let bounds = layout.bounds
    let columns = region.columns.widened(by: x).clamped(to: bounds.columns)
    let rows = region.rows.widened(by: y).clamped(to: bounds.rows)
    return Double(columns.count * rows.count) / Double(layout.pixelCount)
  }
}
