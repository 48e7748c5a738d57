import ArgumentParsing
import JSONRPC
import Testing

@testable import listsrpc

struct AggregateTermTests {
  @Test(
    "A word names a function, its key and what it is called",
    arguments: [
      ("count", #"{"function":"count","name":"count"}"#),
      ("count:tags", #"{"function":"count","key":"tags","name":"count:tags"}"#),
      ("sum:size", #"{"function":"sum","key":"size","name":"sum:size"}"#),
      ("total=sum:a.b", #"{"function":"sum","key":"a.b","name":"total"}"#),
      ("max:x:y", #"{"function":"max","key":"x:y","name":"max:x:y"}"#),
    ])
  func words(word: String, json: String) throws {
    #expect(try AggregateTerm(parsing: word).node.json.text == json)
  }

  @Test(
    "What is no aggregate is refused by its word",
    arguments: ["", "sum", "sum:", "median:x", "=count", "total=sum"])
  func faults(word: String) {
    let error = #expect(throws: UsageError.self) { try AggregateTerm(parsing: word) }
    #expect(error?.message.contains("'\(word)'") == true)
  }
}
