// Blurs a white square on a black background and prints half of its middle row.
//
// In docs/Examples/Swift: swift run -c release soften
import Blur

var image = try Image(.gray8, width: 64, height: 64)
for y in 16..<48 {
  image.withMutableRow(y, columns: 16..<48, as: UInt8.self) { row in
    for x in row.indices { row[x] = 255 }
  }
}

let soft = try image.blurred(sigma: 4)

soft.withRow(32, columns: 0..<32, as: UInt8.self) { row in print(row.indices.map { row[$0] }) }
