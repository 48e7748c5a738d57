import JSONRPC
import ServiceFixture
import Testing

extension LineConnection {
  /// Sends a request and returns its reply.
  func ask(_ method: String, _ params: String = "{}") throws -> JSON {
    try send("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\(method)\",\"params\":\(params)}\n")
    return try JSON(parsing: try #require(try receiveLine(), "the connection was closed"))
  }

  /// Saves a record of this name.
  func save(_ name: String) throws -> JSON {
    try ask(
      "saveRecord", "{\"record\":{\"recordType\":\"Item\",\"recordName\":\"\(name)\",\"fields\":{\"n\":1}}}")
  }

  /// Whether the record of this name is there.
  func finds(_ name: String) throws -> Bool {
    let reply = try ask("fetchRecord", "{\"recordName\":\"\(name)\"}")
    return reply["result"]?["record"]?["recordName"]?.stringValue == name
  }
}
