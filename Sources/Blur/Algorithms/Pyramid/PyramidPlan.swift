import BlurLoopTable

/// A plan that blurs an image with a pyramid. It halves the image several times, blurs the smallest image
/// with a short window, and then doubles its size until it is as large as the result.
final class PyramidPlan: Plan {
  let format: PixelFormat
  let region: Region
  /// The level of the result: 0 if the result is as large as the image, 1 if it is half as large, and 2 if it
  /// is a quarter as large. The first pixel of the result is the pixel of this level in the column
  /// `firstColumn` and the row `firstRow`.
  let resultLevel: Int, firstColumn: Int, firstRow: Int
  /// The index of the image's first pixel along each axis. It is 0 unless the result is smaller than the
  /// image; see ``PyramidDesign/shift``.
  let shift: Int
  private let resultHeight: Int
  /// Whether the first and the last row of the image get only half their weight. This is the case only in
  /// the edge mode `mirror`, where the image and its mirror image share these rows. Even then, their weight
  /// is halved only if each output pixel has its own weights (see ``PeriodicWeights``).
  let halvesRows: Bool
  let arithmetic: Arithmetic
  let imageRows: EdgeRows
  let levels: [PyramidLevel]
  let loops: ResampleLoops
  let convert: Loop<ConvertRow>
  /// The step that reads the bytes of the image, or nil if the components of the image do not have 8 bits or
  /// the pyramid computes in single precision.
  let first: FirstStep?
  /// The step that halves the size of the image, or nil if ``first`` is not nil.
  let image: ImageStep?
  /// The step that writes the bytes of the result. It is nil if ``first`` is nil, or if the smallest level is
  /// already as small as the result.
  let last: LastStep?
  let byteLoops: ByteLoops
  let coarsest: CoarsestLevel
  let window: any WindowFilter
  /// The estimated cost of blurring the whole image.
  private let cost: Cost
  /// A name for the integer arithmetic of this plan, for example "pyramid 2 3", where 2 and 3 are the orders
  /// of the filters that halve the image. If two plans of the same kernel for the same problem have the same
  /// name, their results are equal to the last bit. The name is nil if the weights of the window are floats.
  private let arithmeticName: String?

  /// Creates a plan for a blur with a pyramid.
  init(_ choice: PyramidChoice, _ window: BlurWindow, _ problem: BlurProblem) throws(BlurError) {
    let (layout, region) = (problem.layout, problem.region)
    let format = layout.format
    let (design, arithmetic) = (choice.design, choice.arithmetic)
    // If each output pixel has its own weights (see `PeriodicWeights`), the weights already account for the
    // edge mode. The image is then halved as if it were surrounded by zeros.
    let edge = choice.folded == nil ? problem.edge : .transparent
    let radius = window.down.count - 1
    // `rolling` is nil if the smallest image of the pyramid is stored completely. This is necessary if each
    // output pixel has its own weights (see `PeriodicWeights`), because an output row can then depend on all
    // rows of the smallest image. For a result that is smaller than the image, `rolling` is nil because too
    // little work follows the blur.
    let rolling =
      choice.folded == nil && design.resultLevel == 0
      ? CoarsestLevel.rolling(problem, radius: radius, levels: design.levels, arithmetic) : nil
    resultLevel = design.resultLevel
    (firstColumn, firstRow) = (design.pixel(showing: region.x), design.pixel(showing: region.y))
    resultHeight = problem.result.height
    let (x, foldedAcross) = design.axis(
      firstColumn..<firstColumn + problem.result.width, of: layout.width, edge,
      radius: window.across.count - 1, choice.folded?.x, room: choice.room, isWhole: true)
    // If everything is equal along both axes, the weights are computed only once, because computing them
    // takes a large part of planning.
    let isSquare =
      choice.folded.map { $0.x == $0.y } == true && region.columns == region.rows
    let (y, foldedDown) =
      isSquare
      ? (x, foldedAcross)
      : design.axis(
        firstRow..<firstRow + resultHeight, of: layout.height, edge, radius: radius, choice.folded?.y,
        room: choice.room, isWhole: rolling == nil)
    let shift = design.shift
    (self.format, self.region, self.arithmetic) = (format, region, arithmetic)
    self.shift = shift
    let halvesColumns = choice.folded?.x.halvesEnds ?? false
    halvesRows = choice.folded?.y.halvesEnds ?? false
    imageRows = try EdgeRows(edge, layout: layout)
    levels = design.orders.indices.reduce(into: []) { levels, level in
      levels.append(
        PyramidLevel(
          level, order: design.orders[level], format: format, arithmetic, x: x, y: y,
          after: level == 1 && design.isQuartered ? nil : levels.last))
    }
    first =
      arithmetic == .averages
      ? FirstStep(
        ratio: design.isQuartered ? 4 : 2, orders: design.orders, channels: format.channels, x: x,
        width: layout.width, shift: shift, edge: edge, halvesEnds: halvesColumns) : nil
    image =
      first != nil
      ? nil
      : ImageStep(
        format, arithmetic, order: design.orders[0], x: x, width: layout.width, shift: shift, edge: edge,
        halvesEnds: halvesColumns, problem.instructionSet)
    last =
      arithmetic == .averages && design.levels > resultLevel
      ? LastStep(
        ratio: design.isQuartered && resultLevel == 0 ? 4 : 2, orders: design.orders,
        channels: format.channels, x: x, resultLevel: resultLevel) : nil
    let table = problem.instructionSet.loops
    loops = arithmetic.isFixed ? table.fixedResample : table.floatResample
    (byteLoops, convert) = (table.bytes, table.convert)
    coarsest = CoarsestLevel(
      x: x, y: y, radius: radius, after: levels, arithmetic, channels: format.channels, rolling: rolling)
    let shape = WindowShape(
      component: arithmetic.levelComponent, channels: format.channels, wanted: x.blurred[design.levels],
      inside: x.stored[design.levels], edge: x.edge, instructionSet: problem.instructionSet)
    if let across = foldedAcross, let down = foldedDown {
      self.window = PeriodicFilter(
        shape, across: across, down: down, firstRow: coarsest.stored.rows.lowerBound)
      arithmeticName = nil
    } else {
      self.window = window.filter(WindowFrame(shape, window))
      let orders = design.orders.map { " \($0)" }.joined()
      arithmeticName = arithmetic.isFixed ? (design.isQuartered ? "quartering" : "pyramid") + orders : nil
    }
    cost = choice.cost
  }

  /// The facts that the executor must know to run this plan: how its work can be divided among threads, and
  /// how much memory it needs. If the smallest image of the pyramid is stored completely, all threads share
  /// its memory. Otherwise, each thread keeps a few rows of it in its own scratch memory.
  var facts: PlanFacts {
    PlanFacts(
      phases: coarsest.rolling.map { [$0] } ?? [
        Phase(units: coarsest.stored.rows.count, overlap: levels.count > 1 ? 3 : 0),
        Phase(units: coarsest.blurred.rows.count, grain: FilterLoops.rowsPerBlock),
        Phase(
          units: resultHeight, grain: 1 << (levels.count - resultLevel),
          overlap: levels.count > resultLevel + 1 ? 4 : 0),
      ],
      sharedBytes: coarsest.rolling == nil ? coarsest.byteCount : 0,
      scratchBytes: max(
        window.scratchBytes, Downsampling.scratchBytes(self), Upsampling.scratchBytes(self))
        + (coarsest.rolling == nil ? 0 : coarsest.byteCount),
      reads: reads, arithmetic: arithmeticName,
      hasRowEpilogue: true, blockColumns: 1 << levels.count,
      blockRows: FilterLoops.rowsPerBlock << levels.count, halvings: levels.count
    ).costing(cost)
  }

  private var reads: Region {
    let rows: Range<Int>
    if let first {
      let computed = levels.count > first.level ? levels[first.level].storedRows.rows : coarsest.stored.rows
      let groups = first.groups
      let start = computed.lowerBound + groups.lag - groups.lead
      rows = groups.ratio * start..<groups.ratio * (computed.upperBound + groups.lag)
    } else {
      rows = PyramidAxis.downsamplingSupport(
        levels.count > 1 ? levels[1].storedRows.rows : coarsest.stored.rows, levels[0].order)
    }
    return Region(
      columns: first?.columns.reads ?? image!.columns.reads,
      rows: imageRows.span(of: rows.lowerBound - shift..<rows.upperBound - shift))
  }

  func run(_ phase: Int, _ units: Range<Int>, _ buffers: PhaseContext) {
    switch phase {
    case _ where coarsest.rolling != nil:
      // SAFETY: `facts` requests enough scratch memory for `Upsampling` and for `coarsest.byteCount` more
      // bytes. The address `rows` lies directly after the memory for `Upsampling`, so the rows of the
      // smallest image fit there.
      let rows = buffers.scratch + Upsampling.scratchBytes(self)
      Upsampling(self, units, buffers.with(shared: rows, scratch: buffers.scratch)).run()
    case 0:
      let first = coarsest.stored.rows.lowerBound
      Downsampling(self, from: first + units.lowerBound, buffers).run(to: first + units.upperBound - 1)
    case 1:
      let first = coarsest.blurred.rows.lowerBound
      filter(first + units.lowerBound..<first + units.upperBound, buffers)
    case _ where resultLevel == levels.count: copyResult(units, buffers)
    default: Upsampling(self, units, buffers).run()
    }
  }

  /// Copies rows of the smallest level to the result, and converts their values to components of the image.
  private func copyResult(_ rows: Range<Int>, _ buffers: PhaseContext) {
    let count = buffers.destination.layout.rowComponents
    for y in rows {
      // SAFETY: the row of the smallest level and the row of the result both have `count` components.
      let row = coarsest.blurred.row(firstRow + y, in: buffers.shared)
      let target = buffers.destination.unsafeRow(y)
      let words = row.assumingMemoryBound(to: UInt16.self)
      let floats = row.assumingMemoryBound(to: Float.self)
      switch (format.component, arithmetic.isFixed) {
      case (.uint8, true):
        var i = 0
        while i &+ 16 <= count {
          let values = UnsafeRawPointer(words + i).loadUnaligned(as: SIMD16<UInt16>.self)
          let bytes = SIMD16<UInt8>(truncatingIfNeeded: (values &+ 128) &>> 8)
          target.storeBytes(of: bytes, toByteOffset: i, as: SIMD16<UInt8>.self)
          i &+= 16
        }
        while i < count {
          target.setComponent(i, to: UInt8(truncatingIfNeeded: (words[i] &+ 128) &>> 8))
          i &+= 1
        }
      case (.uint8, false): for i in 0..<count { target.setComponent(i, to: UInt8(rounding: floats[i])) }
      case (.uint16, false): for i in 0..<count { target.setComponent(i, to: UInt16(rounding: floats[i])) }
      case (.uint16, true), (.float32, _):
        target.copyMemory(from: row, byteCount: count * format.component.bytes)
      }
      buffers.finished(y..<y + 1)
    }
  }

  /// Blurs the given rows of the smallest image of the pyramid.
  func filter(_ rows: Range<Int>, _ buffers: PhaseContext) {
    window.run(rows, buffers) {
      UnsafeRawPointer(
        coarsest.stored.row(coarsest.stored.rows.index(of: $0, coarsest.edge), in: buffers.shared))
    } into: {
      coarsest.blurred.row($0, in: buffers.shared)
    }
  }
}

extension PyramidDesign {
  /// Returns the index, on the result's level, of the result pixel that covers image pixel `first`. If the
  /// result is smaller than the image, this result pixel covers the block of image pixels that begins with
  /// `first`.
  fileprivate func pixel(showing first: Int) -> Int { first >> resultLevel + (resultLevel == 0 ? 0 : 2) }

  /// Returns the pixels that must be computed on each level of the pyramid, along one axis of the image. If
  /// `folding` is not nil, the function also returns the weights that each pixel of the smallest level needs
  /// (see ``PeriodicWeights``).
  ///
  /// - Parameters:
  ///   - wanted: The pixels of the result that the caller wants, as indices on the result's level.
  ///   - length: The number of pixels of the image along this axis.
  ///   - radius: The number of pixels that the window reads on each side of its centre. It has no effect if
  ///     `folding` is not nil.
  ///   - folding: The axis of the image if each output pixel gets its own weights, and otherwise nil.
  ///   - room: The largest error that shortening the windows along both axes may cause, as a fraction of full
  ///     scale.
  ///   - isWhole: Whether the smallest image is stored completely before any of its pixels is read.
  fileprivate func axis(
    _ wanted: Range<Int>, of length: Int, _ edge: EdgeMode, radius: Int, _ folding: PeriodicAxis?,
    room: Double, isWhole: Bool
  ) -> (PyramidAxis, PeriodicWeights?) {
    var folded: PeriodicWeights?
    let axis = PyramidAxis(
      wanted: wanted, length: length, edge: edge, orders: orders, resultLevel: resultLevel, shift: shift,
      isWhole: isWhole
    ) { outputs in
      folded = folding.map { PeriodicWeights(outputs, $0, self, room: room) }
      return folded?.sources ?? outputs.widened(by: radius)
    }
    return (axis, folded)
  }
}
