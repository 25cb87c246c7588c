import Blur

extension Image {
  /// The largest and the mean difference of a byte; infinite where the layouts differ.
  func difference(from other: Image) -> (largest: Double, mean: Double) {
    guard layout == other.layout else { return (.infinity, .infinity) }
    return withView { a in other.withView { a.difference(from: $0) } }
  }

  /// The largest and the mean difference of a byte in a part of the image; infinite where the layouts differ.
  func difference(from other: Image, in region: Region) -> (largest: Double, mean: Double) {
    guard layout == other.layout else { return (.infinity, .infinity) }
    return withView { a in
      other.withView { b in
        guard let a = try? a.cropped(to: region), let b = try? b.cropped(to: region) else {
          return (.infinity, .infinity)
        }
        return a.difference(from: b)
      }
    }
  }

  /// The largest change of a byte since an earlier frame, in the part of the screen that both regions cover;
  /// nil where there is none.
  func jump(since earlier: Image, in region: Region, _ before: Region) -> Double? {
    let columns = region.columns.clamped(to: before.columns)
    let rows = region.rows.clamped(to: before.rows)
    guard layout == earlier.layout, !columns.isEmpty, !rows.isEmpty else { return nil }
    let both = Region(x: columns.lowerBound, y: rows.lowerBound, width: columns.count, height: rows.count)
    return difference(from: earlier, in: both).largest
  }

  /// How far the change of a byte since an earlier frame is from the truth's own change, at most.
  func levelsOfChange(since earlier: Image, beyond truth: Image, since before: Image) -> Double {
    guard layout == earlier.layout, layout == truth.layout, layout == before.layout else { return .infinity }
    var largest = 0
    withView { a in
      earlier.withView { b in
        truth.withView { c in
          before.withView { d in
            for y in 0..<layout.height {
              // SAFETY: all rows hold `rowBytes` bytes.
              let (a, b, c, d) = (a.row(y).bytes, b.row(y).bytes, c.row(y).bytes, d.row(y).bytes)
              for i in 0..<layout.rowBytes {
                largest = max(largest, abs((Int(a[i]) - Int(b[i])) - (Int(c[i]) - Int(d[i]))))
              }
            }
          }
        }
      }
    }
    return Double(largest)
  }
}

extension ImageView {
  /// The largest and the mean difference of a byte from a view of the same size.
  fileprivate func difference(from other: ImageView) -> (largest: Double, mean: Double) {
    var (largest, sum) = (0, 0)
    for y in 0..<layout.height {
      // SAFETY: both rows hold `rowBytes` bytes.
      let (a, b) = (row(y).bytes, other.row(y).bytes)
      for i in 0..<layout.rowBytes {
        let difference = abs(Int(a[i]) - Int(b[i]))
        largest = max(largest, difference)
        sum += difference
      }
    }
    return (Double(largest), Double(sum) / Double(layout.rowBytes * layout.height))
  }
}

extension UnsafeRawPointer {
  fileprivate var bytes: UnsafePointer<UInt8> { assumingMemoryBound(to: UInt8.self) }
}
