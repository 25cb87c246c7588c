import BlurLoopTable

/// A plan that blurs an image with a pyramid: it downsamples the image, applies a window to the small image,
/// and upsamples the result. All steps use the same arithmetic.
final class PyramidPlan: Plan {
  let format: PixelFormat
  let region: Region
  /// The pixel that surrounds the image in the edge mode `constant`, as 16-bit integers and as floats. The
  /// values have the scale of the pyramid's levels. Other edge modes do not use it.
  let constant: (words: SIMD4<UInt16>, floats: SIMD4<Float>)
  /// The pixels of the image that get only half their weight, because each of them belongs to two repetitions
  /// of the image. They are the first and the last pixel along an axis, in the edge mode `mirror` and with
  /// folded weights (see ``PeriodicWeights``). `values` lists the indices of the values that these columns
  /// have in a line of the image. `rows` is true if the first and the last row get half their weight.
  let halved: (values: [Int], rows: Bool)
  let arithmetic: PyramidArithmetic
  let imageRows: EdgeRows
  let levels: [PyramidLevel]
  /// For each level, the layout of a line between vertical and horizontal downsampling.
  let lines: [PaddedLine]
  let loops: ResampleLoops
  let coarsest: CoarsestLevel
  let window: any RowFilter

  /// Creates a plan for a pyramid.
  ///
  /// - Parameter leastRolling: The smallest size in bytes for which the rows of the coarsest level are
  ///   computed on demand, so that only a few of them are stored. The size counts each pixel twice, because
  ///   pixels are stored before and after the window is applied. Smaller levels fit into the caches, so it is
  ///   simpler to store them as a whole.
  init(
    _ recipe: PyramidChoice, _ windows: PyramidWindows, _ problem: BlurProblem,
    leastRolling: Int = 6 << 20
  ) throws(BlurError) {
    let (layout, region) = (problem.layout, problem.region)
    let format = layout.format
    let (design, arithmetic) = (recipe.design, recipe.arithmetic)
    // Folded weights (see `PeriodicWeights`) already account for the edge mode, so the levels must be
    // computed as if the image were surrounded by zeros.
    let edge = recipe.folded == nil ? problem.edge : .transparent
    let radius = windows.down.count - 1
    // With folded weights (see `PeriodicWeights`), an output row can depend on any row of the coarsest level,
    // so the whole level must be stored.
    let rolling =
      recipe.folded == nil
      ? CoarsestLevel.rolling(
        problem, radius: radius, levels: design.levels, arithmetic, least: leastRolling) : nil
    let (x, foldedAcross) = design.axis(
      region.columns, of: layout.width, edge, radius: windows.across.count - 1, recipe.folded?.x,
      isWhole: true)
    let (y, foldedDown) = design.axis(
      region.rows, of: layout.height, edge, radius: radius, recipe.folded?.y,
      isWhole: rolling == nil)
    let lines = design.orders.enumerated().map { level, order in
      PaddedLine(
        PyramidAxis.downsamplingSupport(x.stored[level + 1], order), inside: x.stored[level],
        edge: level == 0 ? edge : .clamp, .halves(odd: 0), channels: format.channels)
    }
    (self.format, self.region, self.arithmetic, self.lines) = (format, region, arithmetic, lines)
    let scale: Float = arithmetic == .fixed && format.component == .uint8 ? 256 : 1
    let floats = SIMD4((0..<4).map { scale * edge.constant($0, in: format) })
    constant = (arithmetic == .fixed ? SIMD4<UInt16>(floats) : .zero, floats)
    let halvedColumns = recipe.folded?.x.halvesEnds == true ? [0, layout.width - 1] : []
    halved = (
      halvedColumns.filter { lines[0].columns.contains($0) }.flatMap { column in
        (0..<format.channels).map { lines[0].index(of: column, $0) }
      }, recipe.folded?.y.halvesEnds ?? false
    )
    imageRows = try EdgeRows(edge, layout: layout)
    levels = design.orders.indices.reduce(into: []) { levels, level in
      levels.append(
        PyramidLevel(
          level, order: design.orders[level], format: format, arithmetic, x: x, y: y, line: lines[level],
          after: levels.last))
    }
    let table = problem.instructionSet.loops
    loops = arithmetic == .fixed ? table.fixedResample : table.floatResample
    coarsest = CoarsestLevel(
      x: x, y: y, radius: radius, levels: design.levels, arithmetic, channels: format.channels,
      rolling: rolling)
    let shape = WindowShape(
      component: arithmetic.component, channels: format.channels, wanted: coarsest.x.blurred,
      inside: coarsest.x.stored, edge: coarsest.edges.x, instructionSet: problem.instructionSet)
    if let across = foldedAcross, let down = foldedDown {
      window = FoldedFilter(shape, across: across, down: down, firstRow: coarsest.y.stored.lowerBound)
    } else {
      window = windows.filter(shape)
    }
  }

  /// A description of this plan for the executor, which allocates memory and runs the phases. If the whole
  /// coarsest level is stored, it is in memory that all threads share. Otherwise each thread keeps a few rows
  /// of the level in its own scratch memory.
  var facts: PlanFacts {
    PlanFacts(
      phases: coarsest.rolling.map { [$0] } ?? [
        Phase(units: coarsest.y.stored.count, overlap: levels.count > 1 ? 3 : 0),
        Phase(units: coarsest.y.blurred.count, grain: FilterLoops.rowsPerBlock),
        Phase(units: region.height, grain: 1 << levels.count, overlap: levels.count > 1 ? 4 : 0),
      ],
      sharedBytes: coarsest.rolling == nil ? coarsest.byteCount : 0,
      scratchBytes: max(
        window.scratchBytes, Downsampling.scratchBytes(self), Upsampling.scratchBytes(self))
        + (coarsest.rolling == nil ? 0 : coarsest.byteCount),
      reads: reads, arithmetic: arithmeticName,
      hasRowEpilogue: true, blockColumns: 1 << levels.count,
      blockRows: FilterLoops.rowsPerBlock << levels.count, halvings: levels.count)
  }

  /// A name for the integer arithmetic of this plan, or nil if the weights of the window are not integers.
  /// The name contains the orders of the resampling filters. If two plans of one kernel for the same problem
  /// have the same name, their results are equal to the last bit.
  private var arithmeticName: String? {
    guard arithmetic == .fixed, window.weights != nil else { return nil }
    return "pyramid" + levels.map { " \($0.order)" }.joined()
  }

  private var reads: Region {
    let downsampled = levels.count > 1 ? levels[1].rows.stored : coarsest.y.stored
    return Region(
      columns: lines[0].columns,
      rows: imageRows.span(of: PyramidAxis.downsamplingSupport(downsampled, levels[0].order)))
  }

  func run(_ phase: Int, _ units: Range<Int>, _ buffers: PhaseContext) {
    switch phase {
    case _ where coarsest.rolling != nil:
      // SAFETY: `facts` reserves space for these rows of the coarsest level in each thread's scratch memory,
      // after the scratch memory for upsampling.
      let rows = buffers.scratch + Upsampling.scratchBytes(self)
      Upsampling(self, units, buffers.with(shared: rows, scratch: buffers.scratch)).run()
    case 0:
      let first = coarsest.y.stored.lowerBound
      Downsampling(self, from: first + units.lowerBound, buffers).run(to: first + units.upperBound - 1)
    case 1:
      let first = coarsest.y.blurred.lowerBound
      filter(first + units.lowerBound..<first + units.upperBound, buffers)
    default: Upsampling(self, units, buffers).run()
    }
  }

  /// Applies the window to the given rows of the coarsest level.
  func filter(_ rows: Range<Int>, _ buffers: PhaseContext) {
    window.run(rows, buffers.scratch, isStreamed: false) {
      UnsafeRawPointer(
        coarsest.stored.row(coarsest.y.stored.index(of: $0, coarsest.edges.y), in: buffers.shared))
    } into: {
      coarsest.blurred.row($0, in: buffers.shared)
    }
  }
}

extension PyramidDesign {
  /// Finds the pixels that must be computed on each level along one axis. Also returns the folded weights
  /// (see ``PeriodicWeights``), or nil if the levels extend beyond the image instead.
  fileprivate func axis(
    _ wanted: Range<Int>, of length: Int, _ edge: EdgeMode, radius: Int, _ folding: PeriodicWeights.Axis?,
    isWhole: Bool
  ) -> (PyramidAxis, PeriodicWeights?) {
    var folded: PeriodicWeights?
    let axis = PyramidAxis(wanted: wanted, length: length, edge: edge, orders: orders, isWhole: isWhole) {
      outputs in
      folded = folding.map { PeriodicWeights(outputs, $0, self, radius: radius) }
      return folded?.sources ?? outputs.widened(by: radius)
    }
    return (axis, folded)
  }
}
