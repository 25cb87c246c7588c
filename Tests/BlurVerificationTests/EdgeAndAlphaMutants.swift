import Blur

/// A kernel that treats `wrap` like `clamp`.
enum WrapAsClamp: Mutant {
  static func mutate(_ blur: inout PlainBlur) {
    blur.index = { i, count, edge in (edge == .wrap ? .clamp : edge).index(of: i, count: count) }
  }
}

/// A kernel that takes a constant edge for opaque, whatever its alpha is.
enum OpaqueEdge: Mutant {
  static func mutate(_ blur: inout PlainBlur) {
    guard case .constant(var pixel) = blur.edge else { return }
    pixel.w = Float(blur.format.fullScale)
    blur.edge = .constant(pixel)
  }
}

/// A kernel that is slightly too dark at an edge, by more than its promise allows.
enum Nearly: Mutant {
  static func run(_ blur: PlainBlur, _ units: Range<Int>, _ buffers: PhaseContext) {
    blur.run(units, buffers)
    for y in units {
      blur.write(buffers.destination, 0, y, 0, blur.read(buffers.destination.readOnly, 0, y, 0) - 1e-4)
    }
  }
}

/// A kernel that blurs colours that are not premultiplied, by converting them before and after the blur.
enum BlursStraight: Mutant {
  static func mutate(_ blur: inout PlainBlur) {
    let most = blur.format.fullScale
    blur.before = { $1 == 3 ? $0 : $2 == 0 ? 0 : min(most, $0 / $2).rounded() }
  }
  static func run(_ blur: PlainBlur, _ units: Range<Int>, _ buffers: PhaseContext) {
    blur.run(units, buffers)
    blur.changeColours(units, buffers) { $0 * $1 }
  }
}

/// A kernel that takes premultiplied colours for straight ones: it multiplies them by alpha, blurs, and
/// divides them by alpha.
enum PremultipliesAgain: Mutant {
  static func mutate(_ blur: inout PlainBlur) { blur.before = { $1 == 3 ? $0 : ($0 * $2).rounded() } }
  static func run(_ blur: PlainBlur, _ units: Range<Int>, _ buffers: PhaseContext) {
    blur.run(units, buffers)
    blur.changeColours(units, buffers) { $1 == 0 ? 0 : $0 / $1 }
  }
}

/// A kernel that returns straight colours instead of premultiplied ones.
enum LeavesStraight: Mutant {
  static func run(_ blur: PlainBlur, _ units: Range<Int>, _ buffers: PhaseContext) {
    blur.run(units, buffers)
    blur.changeColours(units, buffers) { $1 == 0 ? 0 : $0 / $1 }
  }
}

extension PlainBlur {
  /// Changes the colours of blurred rows. `change` gets alpha as a fraction of full scale.
  fileprivate func changeColours(
    _ units: Range<Int>, _ buffers: PhaseContext, _ change: (_ colour: Double, _ alpha: Double) -> Double
  ) {
    for y in units {
      for x in 0..<region.width {
        let alpha = read(buffers.destination.readOnly, x, y, 3) / format.fullScale
        for c in 0..<3 {
          write(buffers.destination, x, y, c, change(read(buffers.destination.readOnly, x, y, c), alpha))
        }
      }
    }
  }
}
