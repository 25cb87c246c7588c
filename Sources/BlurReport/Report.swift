import BlurRecords
import BlurText
import Foundation

/// A page for the browser, all in one file: what records, certificates and comparisons say, in plots.
///
/// The page loads nothing. All data are in it once, as JSON; a script draws them as text and SVG. Names and
/// messages of kernels are untrusted: they are data everywhere and never markup.
public struct Report {
  private let data: ReportData

  /// Gathers what files say.
  ///
  /// - Parameters:
  ///   - files: in the order in which the page lists them.
  ///   - showsKernels: whether kernels of this build that the files name are drawn and certified.
  ///   - home: a page that the report links back to; nil for none.
  ///   - progress: called with a word on what is done.
  public init(
    _ files: [ReportFile], showsKernels: Bool = true, home: String? = nil,
    progress: (String) -> Void = { _ in }
  ) {
    data = ReportData(files, showsKernels: showsKernels, home: home, progress: progress)
  }

  /// The verdict, in sentences.
  public var sentences: [String] { data.sentences }

  /// What the histories of the machines say.
  var historySentences: [String] { data.historySentences }

  /// The page.
  ///
  /// - Parameter nonce: marks the page's own script and style for the browser, which refuses all others; must
  ///   not be predictable.
  /// - Throws: `EncodingError`, also for numbers that are not finite.
  public func html(nonce: String = Self.randomNonce) throws -> String {
    let scripts = [
      PackageResources.data_js, PackageResources.figures_js, PackageResources.changes_js,
      PackageResources.kernels_js, PackageResources.page_js,
    ]
    return try Self.page(scripts, of: data, nonce: nonce)
  }

  /// A page whose scripts draw `data`.
  static func page(
    _ scripts: [[UInt8]], of data: some Encodable, nonce: String = randomNonce
  ) throws -> String {
    let all = [PackageResources.plot_js, PackageResources.chart_js] + scripts
    let parts = [
      "nonce": nonce, "style": text(PackageResources.page_css), "script": all.map(text).joined(),
      "data": escaped(try JSONDocument.line(of: data)),
    ]
    return filled(text(PackageResources.page_html), parts)
  }

  /// A random number of 128 bits.
  public static var randomNonce: String {
    (0..<2).map { _ in String(UInt64.random(in: .min ... .max), radix: 16) }.joined()
  }

  /// JSON as it may stand in an element `script`: it has no end tag, no comment, and no line break of
  /// JavaScript's.
  static func escaped(_ json: String) -> String {
    var escaped = ""
    escaped.reserveCapacity(json.utf8.count)
    for scalar in json.unicodeScalars {
      switch scalar {
      case "<": escaped += "\\u003c"
      case ">": escaped += "\\u003e"
      case "&": escaped += "\\u0026"
      case "\u{2028}": escaped += "\\u2028"
      case "\u{2029}": escaped += "\\u2029"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }

  /// The template with `{{key}}` replaced, each once; what is put in is not looked at again.
  private static func filled(_ template: String, _ parts: [String: String]) -> String {
    template.components(separatedBy: "{{").enumerated().map { index, piece in
      guard index > 0, let end = piece.range(of: "}}") else { return piece }
      return (parts[String(piece[..<end.lowerBound])] ?? "") + piece[end.upperBound...]
    }.joined()
  }

  private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}
