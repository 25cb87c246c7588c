import Foundation
import Testing

#if canImport(FoundationXML)
  import FoundationXML
#endif

/// The elements of an XML document with their attributes, in document order, as Foundation's parser reports
/// them.
public final class XMLElements: NSObject, XMLParserDelegate {
  private var all: [(name: String, attributes: [String: String])] = []

  /// Parses a document and returns its elements.
  ///
  /// - Throws: an error that fails the test if the text is not well-formed XML.
  public static func of(_ text: String) throws -> [(name: String, attributes: [String: String])] {
    let (elements, parser) = (XMLElements(), XMLParser(data: Data(text.utf8)))
    parser.delegate = elements
    try #require(parser.parse(), "\(parser.parserError as Any)")
    return elements.all
  }

  /// Records each element when the parser reaches its start tag.
  public func parser(
    _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
    attributes: [String: String] = [:]
  ) {
    all.append((name, attributes))
  }
}
