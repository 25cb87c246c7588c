import Blur

extension Image {
  /// Returns the largest and the mean absolute difference between corresponding bytes of two images. Only the
  /// given region is compared, or the whole images if the region is nil. Both values are infinite if the
  /// layouts differ or if the region extends beyond the images.
  func difference(from other: Image, in region: Region? = nil) -> (largest: Double, mean: Double) {
    let region = region ?? layout.bounds
    return withView { a in
      other.withView { b in
        guard layout == other.layout, let a = try? a.cropped(to: region), let b = try? b.cropped(to: region)
        else { return (.infinity, .infinity) }
        return a.difference(from: b)
      }
    }
  }

  /// Returns the largest change of any byte from an earlier frame to this frame. Only pixels that lie in both
  /// regions are compared. Returns nil if the regions do not overlap or the layouts differ.
  ///
  /// - Parameters:
  ///   - region: The region of this frame to compare.
  ///   - before: The region of the earlier frame to compare.
  func jump(since earlier: Image, in region: Region, _ before: Region) -> Double? {
    guard layout == earlier.layout, let both = region.intersection(before) else { return nil }
    return difference(from: earlier, in: both).largest
  }

  /// Returns how much this frame flickers. Each pixel of the tested scene has changed by some amount since
  /// the previous frame. The same pixel of the exact reference may have changed by a different amount. The
  /// result is the largest difference between these two amounts over all pixels.
  ///
  /// - Parameters:
  ///   - earlier: The previous frame of the tested scene.
  ///   - truth: The reference for this frame.
  ///   - before: The reference for the previous frame.
  func levelsOfChange(since earlier: Image, beyond truth: Image, since before: Image) -> Double {
    guard layout == earlier.layout, layout == truth.layout, layout == before.layout else { return .infinity }
    var largest = 0
    withView { a in
      earlier.withView { b in
        truth.withView { c in
          before.withView { d in
            for y in 0..<layout.height {
              // SAFETY: all four images have the same layout, so each row holds `rowBytes` bytes.
              let (a, b, c, d) = (
                a.unsafeRow(y).bytes, b.unsafeRow(y).bytes, c.unsafeRow(y).bytes, d.unsafeRow(y).bytes
              )
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

extension Region {
  /// Returns the part that both regions contain, or nil if they do not overlap.
  func intersection(_ other: Region) -> Region? {
    let columns = columns.clamped(to: other.columns)
    let rows = rows.clamped(to: other.rows)
    guard !columns.isEmpty, !rows.isEmpty else { return nil }
    return Region(x: columns.lowerBound, y: rows.lowerBound, width: columns.count, height: rows.count)
  }
}

extension ImageView {
  /// Returns the largest and the mean absolute difference between corresponding bytes of this view and a view
  /// of the same size.
  fileprivate func difference(from other: ImageView) -> (largest: Double, mean: Double) {
    var (largest, sum) = (0, 0)
    for y in 0..<layout.height {
      // SAFETY: both views have the same size and format, so both rows hold `rowBytes` bytes.
      let (a, b) = (unsafeRow(y).bytes, other.unsafeRow(y).bytes)
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
