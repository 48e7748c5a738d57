import JSONRPC
import ServiceFixture

/// Sends one request and returns its reply, asserting that the reply is this request's.
extension LineConnection {
  /// The whole reply, `result` or `error` in it. `params` is JSON text.
  func reply(to method: String, _ params: String, id: Int = 1) throws -> JSON {
    try send("{\"jsonrpc\":\"2.0\",\"id\":\(id),\"method\":\"\(method)\",\"params\":\(params)}\n")
    return try receiveReply(id: id)
  }

  /// The result; throws what the service said when it was an error.
  func result(of method: String, _ params: String) throws -> JSON {
    let reply = try reply(to: method, params)
    guard let result = reply["result"] else { throw FixtureError("\(method) failed: \(reply.text)") }
    return result
  }

  /// The `error` object; throws when the request succeeded.
  func error(of method: String, _ params: String) throws -> JSON {
    let reply = try reply(to: method, params)
    guard let error = reply["error"] else { throw FixtureError("\(method) did not fail: \(reply.text)") }
    return error
  }

  /// Saves one record; `fields` is the JSON text of its fields. Returns the saved record.
  @discardableResult
  func save(_ name: String, _ fields: String, type: String = "Item", policy: String = "allKeys") throws
    -> JSON
  {
    let record = "{\"recordType\":\"\(type)\",\"recordName\":\"\(name)\",\"fields\":\(fields)}"
    let result = try result(of: "saveRecord", "{\"record\":\(record),\"savePolicy\":\"\(policy)\"}")
    guard let saved = result["record"] else { throw FixtureError("no record in \(result.text)") }
    return saved
  }

  /// The next message that is JSON.
  func receiveMessage() throws -> JSON {
    guard let line = try receiveLine() else { throw FixtureError("the stream ended") }
    return try JSON(parsing: line)
  }

  /// The next push's `params`.
  func receivePush() throws -> JSON {
    let message = try receiveMessage()
    guard message["method"]?.stringValue == "recordsChanged", let params = message["params"] else {
      throw FixtureError("not a push: \(message.text)")
    }
    return params
  }

  private func receiveReply(id: Int) throws -> JSON {
    let message = try receiveMessage()
    guard message["id"]?.int64Value == Int64(id) else {
      throw FixtureError("another's reply: \(message.text)")
    }
    return message
  }
}

extension JSON {
  /// The record names of a query's result, in order.
  var recordNames: [String] {
    (self["records"]?.elements).map { $0.compactMap { $0["recordName"]?.stringValue } } ?? []
  }

  /// `data.errorCode` of an error object.
  var errorCode: String? { self["data"]?["errorCode"]?.stringValue }

  /// `reason recordName` of each change of a push, in order.
  var changeSummaries: [String] {
    (self["changes"]?.elements).map {
      $0.map { "\($0["reason"]?.stringValue ?? "?") \($0["recordName"]?.stringValue ?? "?")" }
    } ?? []
  }
}
