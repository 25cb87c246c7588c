import Blur

// Finds the cause if a kernel fails only for some image sizes, or only in pixels near the edges.

extension KernelUnderTest {
  /// The kinds of test images that are blurred to see whether the kernel keeps its promise.
  private var kinds: [TestImage] { (subject.image.map { [$0.kind] } ?? []) + [.extremes, .step, .noise] }

  /// Blurs several images of this size, and returns the first one for which the kernel breaks its promise,
  /// together with its blur. Returns nil if the kernel keeps its promise for all of these images.
  private func brokenBlur(_ width: Int, _ height: Int) throws -> (image: Image, result: Image)? {
    for kind in kinds {
      let image = try image(kind, width, height, seed: SampleImage.seed)
      let result = try blurred(image)
      do { _ = try judgeQuickly(result, of: image) } catch is Violation { return (image, result) }
    }
    return nil
  }

  /// Returns a diagnosis if the kernel breaks its promise for an image, but keeps it for images that are a
  /// few pixels wider or a few pixels higher. If an image is not longer than the window's radius, images that
  /// are a few pixels longer than the radius are tried instead.
  func differsBySize() throws -> Diagnosis? {
    let sizes = subject.image.map { [($0.width, $0.height)] } ?? [(64, 45), (67, 64), (128, 45), (67, 128)]
    for (width, height) in sizes where try brokenBlur(width, height) != nil {
      let advice =
        try advice(width, radius.x, "width", "row") { ($0, height) }
        ?? advice(height, radius.y, "height", "column") { (width, $0) }
      if let advice { return Diagnosis(advice: advice) }
    }
    return nil
  }

  /// Returns advice if the kernel breaks its promise only for some image lengths. To find out, the function
  /// blurs three images that are longer along one axis and have the same length along the other. It returns
  /// nil if the kernel breaks its promise for any of these images.
  ///
  /// - Parameters:
  ///   - length: The width or height for which the kernel breaks its promise.
  ///   - radius: The radius of the window along the same axis.
  ///   - name: The word for the length in the advice: "width" or "height".
  ///   - line: The word for a line of pixels of this length: "row" or "column".
  ///   - size: A closure that returns the width and height of an image with another length.
  private func advice(
    _ length: Int, _ radius: Int, _ name: String, _ line: String, _ size: (Int) -> (Int, Int)
  ) throws -> String? {
    let isShort = length <= radius
    let others = [1, 3, 5].map { max(length, radius) + $0 }
    for (width, height) in others.map(size) {
      if isShort, width * height > Self.mostPixels { return nil }
      guard try brokenBlur(width, height) == nil else { return nil }
    }
    return "the blur is wrong \(isShort ? "if the window is longer than the image" : "for some sizes only"): "
      + "with a \(name) of \(length) pixels, but not with "
      + "\(others.map(String.init).joined(separator: ", ")). The usual cause is "
      + (isShort
        ? "an edge mode whose pattern is not repeated beyond the first copy of the image"
        : "code for the end of a \(line), of a block or of a vector")
  }

  /// The maximum number of pixels in an image that is blurred to find a cause.
  private static let mostPixels = 1_000_000

  /// Returns a diagnosis if only the edges are wrong. To find out, the function blurs images of several
  /// sizes, each as it is and after extending it beyond its edges by hand. The edges are to blame if, for
  /// each size, the kernel breaks its promise for the image, but keeps it for the extended image. Both
  /// results must also agree in the interior of the image, which is more than a radius away from all edges.
  func failsOnlyAtEdges() throws -> Diagnosis? {
    // One of the widths and one of the heights are multiples of 64, because blocks and vectors often end at
    // such multiples. The other widths and heights are not multiples of 64.
    let width = (2 * radius.x + 40).roundedUp(toMultipleOf: 64)
    let height = (2 * radius.y + 40).roundedUp(toMultipleOf: 64)
    let least = Int((4 * max(sigma.x, sigma.y)).rounded(.up)) + 8
    let margin = try least.roundedUp(toMultipleOf: grid(layout(width, height)))
    guard (width + 33 + 2 * margin) * (height + 29 + 2 * margin) < Self.mostPixels else { return nil }
    var channels: Set<Int?> = []
    for (more, higher) in [(3, 1), (0, 0), (33, 29)] {
      let (width, height) = (width + more, height + higher)
      guard let (image, result) = try brokenBlur(width, height) else { return nil }
      let region = Region(x: margin, y: margin, width: width, height: height)
      let extended = try blurred(image.continued(by: (margin, margin), subject.edge)).cropped(to: region)
      guard (try? judgeQuickly(extended, of: image)) != nil else { return nil }
      let interior = Region(
        x: radius.x, y: radius.y, width: width - 2 * radius.x, height: height - 2 * radius.y)
      try expectSame(
        result.cropped(to: interior), extended.cropped(to: interior), within: toleranceOfInterior(image), "")
      channels.insert(try onlyWrongChannel(result, extended, of: image))
    }
    let channel = channels.count == 1 ? channels.first ?? nil : nil
    return Diagnosis(advice: try adviceOnWrongEdges(width + 33, height + 29, channel))
  }

  /// Returns the only wrong channel of a result, or nil if several channels are wrong or the image has only
  /// one channel. The result keeps the promise once this channel is copied from the correct result `right`.
  private func onlyWrongChannel(_ result: Image, _ right: Image, of image: Image) throws -> Int? {
    guard format.channels > 1 else { return nil }
    return try (0..<format.channels).first { channel in
      let mended = try result.withView { result in
        try right.withView { right in
          try Image.painted(result.layout) { x, y, c in
            (c == channel ? right : result).value(x * format.channels + c, y)
          }
        }
      }
      return (try? judgeSome(mended, of: image)) != nil
    }
  }

  /// Returns the advice for the author of a kernel that blurs everything correctly except the edges.
  ///
  /// - Parameters:
  ///   - width: The width of an image for which the kernel breaks its promise.
  ///   - height: The height of this image.
  ///   - channel: The only channel that is wrong, or nil if all of them may be wrong.
  private func adviceOnWrongEdges(_ width: Int, _ height: Int, _ channel: Int?) throws -> String {
    let place = channel.map { ", and only in channel \($0)" } ?? ""
    let start =
      "only the edges are wrong\(place): the kernel keeps its promise if the image is extended by hand"
    if subject.edgeName != subject.edge.name {
      var black = self
      black.subject.edge = .transparent
      if try black.brokenBlur(width, height) == nil {
        return start + ", or if the colour of the edge is 0. So the colour of the edge is wrong"
      }
    }
    // A kernel that extends the image again in each pass spoils all channels, so this cannot be the cause if
    // only one channel is wrong. In edge modes other than `clamp` and `constant`, it cannot be the cause
    // either, because extending the image again gives the same pixels.
    guard channel == nil, subject.edge == .clamp || subject.edge.name == EdgeMode.transparent.name else {
      return start
    }
    return start + ". The usual cause is that each pass extends the image beyond its edges again. Extend it "
      + "only once, before the first pass, by the sum of the radii of all passes"
  }

  /// The largest difference, in levels, between two blurs in the interior of an image. Both blurs may differ
  /// from the Gaussian by the promised error. In addition, the tails of approximations may extend beyond the
  /// radius, so the edges may influence the interior a little.
  private func toleranceOfInterior(_ image: Image) -> Double {
    let bound = kernel.promise.isExact ? kernel.promise.bound(for: format) ?? 0 : 0.25
    return 2 * max(format.codeInLevels, bound) * max(1, image.largestMagnitude / format.fullScale)
  }
}
