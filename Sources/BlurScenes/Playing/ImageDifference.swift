import Blur

extension Image {
  /// The largest and the mean difference of a byte; infinite where the layouts differ.
  func difference(from other: Image) -> (largest: Double, mean: Double) {
    guard layout == other.layout else { return (.infinity, .infinity) }
    return withView { a in
      other.withView { b in
        var (largest, sum) = (0, 0)
        for y in 0..<layout.height {
          // SAFETY: both rows hold `rowBytes` bytes.
          let (a, b) = (a.row(y).bytes, b.row(y).bytes)
          for i in 0..<layout.rowBytes {
            let difference = abs(Int(a[i]) - Int(b[i]))
            largest = max(largest, difference)
            sum += difference
          }
        }
        return (Double(largest), Double(sum) / Double(layout.rowBytes * layout.height))
      }
    }
  }

  /// The largest change of a byte since an earlier frame, in the part of the screen that both regions cover.
  func jump(since earlier: Image, in region: Region, _ before: Region) -> Double {
    guard layout == earlier.layout else { return 0 }
    let columns = region.columns.clamped(to: before.columns)
    var largest = 0
    withView { a in
      earlier.withView { b in
        for y in region.rows.clamped(to: before.rows) {
          // SAFETY: regions are parts of the screen, and both rows hold `rowBytes` bytes.
          let (a, b) = (a.row(y).bytes, b.row(y).bytes)
          for i in 4 * columns.lowerBound..<4 * columns.upperBound {
            largest = max(largest, abs(Int(a[i]) - Int(b[i])))
          }
        }
      }
    }
    return Double(largest)
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

extension UnsafeRawPointer {
  fileprivate var bytes: UnsafePointer<UInt8> { assumingMemoryBound(to: UInt8.self) }
}
