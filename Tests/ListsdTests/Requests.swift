import JSONRPC
import ServiceFixture
import Testing

extension LineConnection {
  /// Sends a request and returns its reply.
  func ask(_ method: String, _ params: String = "{}", id: Int = 1) throws -> JSON {
    try send(request(method, params, id: id))
    return try receiveJSON()
  }

  /// The next line, which must be there, as JSON.
  func receiveJSON() throws -> JSON {
    try JSON(parsing: try #require(try receiveLine(), "the connection was closed"))
  }
}

/// One request as a line.
func request(_ method: String, _ params: String = "{}", id: Int = 1) -> String {
  "{\"jsonrpc\":\"2.0\",\"id\":\(id),\"method\":\"\(method)\",\"params\":\(params)}\n"
}

/// One save of a record of type Item as a line.
func save(_ name: String, fields: String = "{}", id: Int = 1) -> String {
  request(
    "saveRecord", "{\"record\":{\"recordType\":\"Item\",\"recordName\":\"\(name)\",\"fields\":\(fields)}}",
    id: id)
}

extension JSON {
  /// `error.data.errorCode` of a reply.
  var errorCode: String? { self["error"]?["data"]?["errorCode"]?.stringValue }
}
