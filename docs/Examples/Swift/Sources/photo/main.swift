// Blurs an image file, such as a PNG file.
//
// In docs/Examples/Swift: swift run -c release photo IN.png OUT.png SIGMA
//
// This program needs libpng: apt-get install libpng-dev
import Blur
import BlurFiles
import Foundation

let words = CommandLine.arguments
guard words.count == 4, let sigma = Double(words[3]) else {
  print("photo IN.png OUT.png SIGMA")
  exit(64)
}
do {
  // Image files contain straight alpha, so `ImageFile.read` multiplies the colours by alpha. If some pixels
  // are transparent, the image in memory gets more bits per component than the file, so that no colour
  // changes.
  var picture = try ImageFile.read(words[1])
  picture.image = try picture.image.blurred(sigma: sigma)
  try ImageFile.write(picture, to: words[2])
} catch {
  print("photo: \(error)")
  exit(1)
}
