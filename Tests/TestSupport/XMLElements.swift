import Foundation
import Testing

#if canImport(FoundationXML)
  import FoundationXML
#endif

/// A document as Foundation's parser sees it: elements with their attributes, in order.
public final class XMLElements: NSObject, XMLParserDelegate {
  private var all: [(name: String, attributes: [String: String])] = []

  /// Parses a document; an error that no test expects where it is none.
  public static func of(_ text: String) throws -> [(name: String, attributes: [String: String])] {
    let (elements, parser) = (XMLElements(), XMLParser(data: Data(text.utf8)))
    parser.delegate = elements
    try #require(parser.parse(), "\(parser.parserError as Any)")
    return elements.all
  }

  /// Adds an element.
  public func parser(
    _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
    attributes: [String: String] = [:]
  ) {
    all.append((name, attributes))
  }
}
