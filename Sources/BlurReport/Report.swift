import BlurRecords
import BlurText
import Foundation

/// A report: one HTML file for a browser, with plots of records, certificates and comparisons.
///
/// The page loads nothing from the network. The data is embedded as JSON, and a script draws it as text and
/// SVG. The names and messages of kernels are untrusted, so they are always treated as data and never as
/// markup.
public struct Report {
  private let data: ReportData

  /// Creates a report from files with records, certificates and comparisons.
  ///
  /// - Parameters:
  ///   - files: The files, in the order in which the page lists them.
  ///   - showsKernels: Whether the page shows pictures and certificates of the kernels in the files. Both
  ///     are computed for the kernels that are part of this build.
  ///   - home: The address of a page that the report links to, or nil for no link.
  ///   - progress: A function that is called whenever a new part of the work begins, with a short text that
  ///     describes this part.
  public init(
    _ files: [ReportFile], showsKernels: Bool = true, home: String? = nil,
    progress: (String) -> Void = { _ in }
  ) {
    data = ReportData(files, showsKernels: showsKernels, home: home, progress: progress)
  }

  /// The sentences at the top of the report, which state the main results.
  public var sentences: [String] { data.sentences }

  /// For each machine that was measured on several days, a sentence that says how its times have changed.
  var historySentences: [String] { data.historySentences }

  /// Returns the page as HTML.
  ///
  /// - Parameter nonce: A value that marks the script and the style of the page. The browser refuses all
  ///   other scripts and styles, so the nonce must not be predictable.
  /// - Throws: `EncodingError`, for example if a number is not finite.
  public func html(nonce: String = Self.randomNonce) throws -> String {
    let scripts = [
      PackageResources.data_js, PackageResources.figures_js, PackageResources.changes_js,
      PackageResources.kernels_js, PackageResources.page_js,
    ]
    return try Self.page(scripts, of: data, nonce: nonce)
  }

  /// Returns a page whose scripts draw `data`.
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

  /// A random number of 128 bits, in hexadecimal digits.
  public static var randomNonce: String {
    (0..<2).map { _ in String(UInt64.random(in: .min ... .max), radix: 16) }.joined()
  }

  /// Returns JSON that is safe inside an HTML `script` element: it contains no end tag, no comment, and none
  /// of the characters that JavaScript treats as line breaks.
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

  /// Returns the template with each `{{key}}` replaced by the text for this key in `parts`. Keys inside the
  /// inserted texts are not replaced.
  private static func filled(_ template: String, _ parts: [String: String]) -> String {
    template.components(separatedBy: "{{").enumerated().map { index, piece in
      guard index > 0, let end = piece.range(of: "}}") else { return piece }
      return (parts[String(piece[..<end.lowerBound])] ?? "") + piece[end.upperBound...]
    }.joined()
  }

  private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}
