import Blur

extension FuzzTarget {
  /// Layouts and regions with arbitrary numbers, and plans for those that are not too large.
  static let layouts = FuzzTarget(
    name: "layouts",
    seeds: { (0..<12).map { [0, $0, 4, 4, 4, 0, 1, 1, 3, 3] } + [[5, 1, 12, 1, 2, 3, 4, 5, 6, 7, 8]] },
    run: { bytes in
      var choices = Choices(bytes)
      let format = choices.pick(PixelFormat.allCases)
      let (width, height, stride) = (choices.integer(), choices.integer(), choices.integer())
      let isTight = choices.byte() % 2 == 1
      guard
        let layout = try? ImageLayout(format, width: width, height: height, stride: isTight ? nil : stride)
      else { return }
      check(layout)
      let region = Region(
        x: choices.integer(), y: choices.integer(), width: choices.integer(), height: choices.integer())
      check(region, in: layout)
      plan(layout, region, &choices)
    })

  private static func check(_ layout: ImageLayout) {
    let bytes = layout.stride.multipliedReportingOverflow(by: layout.height)
    require(!bytes.overflow && layout.byteCount <= bytes.partialValue, "\(layout) overflows")
    require(layout.byteCount >= layout.rowBytes && layout.rowBytes <= layout.stride, "\(layout) is too small")
  }

  private static func check(_ region: Region, in layout: ImageLayout) {
    let right = region.x.addingReportingOverflow(region.width)
    let bottom = region.y.addingReportingOverflow(region.height)
    let isInside =
      min(region.x, region.y) >= 0 && min(region.width, region.height) > 0 && !right.overflow
      && !bottom.overflow && right.partialValue <= layout.width && bottom.partialValue <= layout.height
    require(region.fits(layout) == isInside, "\(region) in \(layout)")
  }

  /// Makes a plan for a layout. Plans need memory for each row and each column, so only one side may be long.
  private static func plan(_ layout: ImageLayout, _ region: Region, _ choices: inout Choices) {
    guard min(layout.width, layout.height) <= 64, max(layout.width, layout.height) <= 4096 else { return }
    let kernel = choices.pick(Registry.kernels)
    guard let sigma = try? Sigma(x: choices.sigma(), y: choices.sigma()) else { return }
    let parameters = BlurParameters(
      sigma: sigma, edge: choices.pick(EdgeMode.allCases), region: choices.byte() % 2 == 1 ? region : nil)
    let threads = choices.pick([1, 2, 9, 0, 1025, -1, .max])
    _ = try? BlurPlan(kernel, for: layout, parameters, threads: threads)
  }
}
