extension Image: Equatable, CustomStringConvertible {
  /// Returns whether both images have the same format and size, and the same bits in all pixels. Strides and
  /// padding may differ. Two NaN components are equal if they have the same bits.
  public static func == (a: Image, b: Image) -> Bool {
    guard a.layout.hasSamePixels(as: b.layout) else { return false }
    return a.withView { a in
      b.withView { b in
        (0..<a.layout.height).allSatisfy { y in
          // SAFETY: both images have the same format and width, so each row holds `rowBytes` bytes in both.
          let (row, other) = (a.unsafeRow(y), b.unsafeRow(y))
          var difference: UInt8 = 0
          for i in 0..<a.layout.rowBytes {
            difference |=
              row.load(fromByteOffset: i, as: UInt8.self)
              ^ other.load(fromByteOffset: i, as: UInt8.self)
          }
          return difference == 0
        }
      }
    }
  }

  /// The format and the size, such as `rgba8 640x480`.
  public var description: String { layout.description }
}

extension ImageLayout: CustomStringConvertible {
  /// The format, the size, and the stride if there is padding, such as `rgba8 640x480, stride 2576`.
  public var description: String { words + (stride == rowBytes ? "" : ", stride \(stride)") }
}

extension Region: CustomStringConvertible {
  /// The size and the place, such as `640x162 at x 0, y 20`.
  public var description: String { "\(width)x\(height) at x \(x), y \(y)" }
}

extension Sigma: CustomStringConvertible {
  /// The sigma as a single number such as `12`, or as `x 12, y 4` if the axes have different sigmas.
  public var description: String {
    x == y ? x.formattedShort : "x \(x.formattedShort), y \(y.formattedShort)"
  }
}

extension BlurPlan: CustomStringConvertible {
  /// The kernel, the layout and the parameters, as in `pyramid (avx2): rgba8 640x480, sigma 12, edge clamp`.
  public var description: String {
    "\(kernel.name) (\(parameters.instructionSet.name)): \(layout.description), "
      + "sigma \(parameters.sigma.description), edge \(parameters.edge.name)"
      + (parameters.region.map { ", region \($0.description)" } ?? "")
      + (parameters.downscaled == 1 ? "" : ", downscaled by \(parameters.downscaled)")
  }
}
