import Foundation
import Testing

@testable import Blur

@Suite("JSON")
struct JSONReaderTests {
  private func read(_ text: String) -> JSONValue? { JSONReader.value(of: Array(text.utf8)) }

  @Test("Values of every kind are read")
  func values() {
    let members = [
      JSONValue.Member(
        name: "a", value: .array([.number(1), .number(-0.0025), .bool(true), .bool(false), .null])),
      JSONValue.Member(name: "b", value: .object([])),
    ]
    #expect(read(" {\"a\" : [1, -2.5e-3 ,true,false,null], \"b\":{}}\n") == .object(members))
    #expect(read("[]") == .array([]) && read("0") == .number(0) && read("-0.5E+2") == .number(-50))
    #expect(read(#""\"\\\/\b\f\n\r\t\u00e9\uD83D\uDE00é😀""#) == .string("\"\\/\u{8}\u{C}\n\r\té😀é😀"))
  }

  @Test(
    "What is not JSON is refused",
    arguments: [
      "", " ", "[1,]", "[,1]", "[1 2]", "{\"a\":1,}", "{a:1}", "{\"a\" 1}", "{\"a\":1,\"a\":1}", "01", "1.",
      ".5",
      "+1", "1e", "1e999", "-", "NaN", "Infinity", "nul", "\"a", "\"\n\"", #""\x""#, #""\u12g4""#,
      #""\uD800""#,
      #""\uDC00""#, #""\uD800\u0041""#, "[1]]", "[1] x", "[", "{", "}", "\"\\",
    ])
  func malformed(text: String) {
    #expect(read(text) == nil)
  }

  @Test("Depth is limited, so that no stack overflows")
  func depth() {
    #expect(read(String(repeating: "[", count: 16) + String(repeating: "]", count: 16)) != nil)
    #expect(read(String(repeating: "[", count: 17) + String(repeating: "]", count: 17)) == nil)
    #expect(read(String(repeating: "[", count: 1 << 20)) == nil)
  }

  @Test("Members are limited, so that looking for them stays quick")
  func members() {
    let object = { (count: Int) in "{" + (0..<count).map { "\"\($0)\":0" }.joined(separator: ",") + "}" }
    #expect(read(object(32))?["31"] == .number(0) && read(object(33)) == nil)
  }

  @Test("Foundation reads the same")
  func foundation() throws {
    let text = #"{"k":["A \"CPU\" \\ é\u0001",1234.5,1e-300,123456789012,0.1,-7],"e":"","":[{}]}"#
    let theirs = try #require(
      try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    let ours = try #require(read(text))
    #expect(ours["k"]?.array?[0].text == (theirs["k"] as? [Any])?[0] as? String)
    for i in 1..<6 { #expect(ours["k"]?.array?[i].number == (theirs["k"] as? [Any])?[i] as? Double) }
    #expect(ours["e"]?.text == "" && ours[""]?.array == [.object([])])
  }
}
