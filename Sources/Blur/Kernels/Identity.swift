/// The blur of sigma 0: a copy. Every kernel's plan becomes this one when there is nothing to blur.
struct Identity: BlurKernel {
  static let name = "identity"
  static let summary = "a copy, for sigma 0"
  static let promise = Promise.exact(levels: 0, share: 0)
  static let worksInPlace = true

  private let region: Region

  init(_ parameters: BlurParameters, layout: ImageLayout) {
    region = parameters.region ?? layout.bounds
  }

  var reads: Region? { region }
  var finishesRows: Bool { true }
  var phases: [Phase] { [Phase(units: region.height)] }

  func run(_ phase: Int, _ units: Range<Int>, _ buffers: BlurBuffers) {
    let target = buffers.destination
    let skipped = region.x * target.layout.format.bytesPerPixel
    for y in units {
      // SAFETY: the region is inside the source, and both rows hold the target's `rowBytes`.
      target.row(y).copyMemory(
        from: buffers.source.row(region.y + y) + skipped, byteCount: target.layout.rowBytes)
      buffers.finished(y..<y + 1)
    }
  }
}
