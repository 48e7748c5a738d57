import InProcessService
import JSONRPC
import Records
import Testing

@testable import ListsService

struct ErrorTranslationTests {
  @Test("Every failure has its code, its name, and what it carries", arguments: RecordError.Code.allCases)
  func everyCode(code: RecordError.Code) throws {
    let error = RecordError(
      code, "what happened", details: [.init("limit", 5), .init("known", ["a", "\"b"])], retryAfter: 2)
    let node = JSONNode(
      try JSON(parsing: Reply.error(id: .null, RPCError(error))))["error"]
    #expect(
      node == [
        "code": .int(Int64(code.number)), "message": "what happened",
        "data": [
          "errorCode": .string(code.rawValue), "limit": 5, "known": ["a", "\"b"], "retryAfter": 2.0,
        ],
      ])
  }

  @Test("No two failures share a code, and all are JSON-RPC's or of the service's range")
  func codesAreDistinct() {
    let numbers = RecordError.Code.allCases.map(\.number)
    #expect(Set(numbers).count == numbers.count)
    #expect(numbers.allSatisfy { (-32099 ... -32000).contains($0) || [-32602, -32603].contains($0) })
  }

  @Test("retryAfter is there only where a retry can help")
  func retryAfter() throws {
    let data = try #require(RPCError(RecordError(.unknownItem, "")).data)
    #expect(String(decoding: data, as: UTF8.self) == #"{"errorCode":"unknownItem"}"#)
  }
}
