// Blurs a white square on a black background and prints half of its middle row.
//
// In docs/Examples/Swift: swift run -c release soften
import Blur

var image = try Image(.gray8, width: 64, height: 64)
image.withMutableView { view in
  for y in 16..<48 {
    for x in 16..<48 { view.unsafeRow(y).storeBytes(of: 255, toByteOffset: x, as: UInt8.self) }
  }
}

let soft = try image.blurred(sigma: 4)

soft.withView { view in
  print((0..<32).map { view.unsafeRow(32).load(fromByteOffset: $0, as: UInt8.self) })
}
