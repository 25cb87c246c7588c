/// The colours that all screens use.
enum Palette {
  static let paper = Colour(255)
  static let ground = Colour(242, 242, 247)
  static let line = Colour(209, 209, 214)
  static let ink = Colour(28, 28, 30)
  static let faded = Colour(142, 142, 147)
  static let accents = [
    Colour(0, 122, 255), Colour(255, 45, 85), Colour(52, 199, 89), Colour(255, 149, 0), Colour(88, 86, 214),
    Colour(255, 59, 48), Colour(90, 200, 250), Colour(255, 204, 0),
  ]
}
