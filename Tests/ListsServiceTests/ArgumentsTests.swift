import InProcessService
import JSONRPC
import Testing

struct ArgumentsTests {
  let client = InProcessService().connect()

  @Test("An unknown parameter is named, with those that are known")
  func unknown() throws {
    let reply = try client.call("fetchRecord", ["recordName": "a", "recordname": "b"])
    #expect(reply["error"]?["code"] == -32602)
    #expect(reply["error"]?["message"]?.text.contains("'recordname'") == true)
    let data = reply["error"]?["data"]
    #expect(data?["parameter"] == "recordname")
    #expect(
      data?["known"]
        == ["recordName", "recordType", "zoneName", "desiredKeys", "container", "database"])
  }

  @Test("Names are compared byte by byte, after escapes are resolved")
  func escapedNames() throws {
    client.send(
      #"{"jsonrpc":"2.0","id":1,"method":"fetchRecord","params":{"record\u004eame":"a"}}"#)
    #expect(try client.receive()["error"]?["data"]?["errorCode"] == "unknownItem")
  }

  @Test(
    "A missing parameter is named; null counts as missing",
    arguments: [#"{}"#, #"{"recordName":null}"#, "[]", "[null]"])
  func missing(params: String) throws {
    client.send(#"{"jsonrpc":"2.0","id":1,"method":"fetchRecord","params":\#(params)}"#)
    let data = try client.receive()["error"]?["data"]
    #expect(data?["errorCode"] == "invalidArguments" && data?["parameter"] == "recordName")
  }

  @Test(
    "A parameter of the wrong type is named",
    arguments: [
      ("fetchRecord", #"{"recordName":1}"#, "recordName"),
      ("fetchRecord", #"{"recordName":"a","desiredKeys":"x"}"#, "desiredKeys"),
      ("fetchRecord", #"{"recordName":"a","desiredKeys":[1]}"#, "desiredKeys"),
      ("fetchRecord", #"{"recordName":"a","database":"other"}"#, "database"),
      ("fetchRecords", #"{"recordNames":{}}"#, "recordNames"),
      ("saveRecord", #"{"record":[]}"#, "record"),
      ("saveRecord", #"{"record":{"recordType":"Item"},"savePolicy":"always"}"#, "savePolicy"),
      ("deleteRecord", #"{"recordName":"a","ignoreMissing":"yes"}"#, "ignoreMissing"),
      ("modifyRecords", #"{"operations":{}}"#, "operations"),
      ("modifyRecords", #"{"operations":[],"atomic":1}"#, "atomic"),
      ("performQuery", #"{"recordType":"Item","resultsLimit":1.0}"#, "resultsLimit"),
      ("performQuery", #"{"recordType":"Item","resultsLimit":1001}"#, "resultsLimit"),
      ("performQuery", #"{"recordType":"Item","variables":[]}"#, "variables"),
      ("performQuery", #"{"recordType":"Item","arguments":[1]}"#, "arguments"),
      ("performQuery", #"{"recordType":"Item","sectionIndexTitle":"whole"}"#, "sectionIndexTitle"),
      ("subscribe", #"{"firesOn":["moved"]}"#, "firesOn"),
      ("subscribe", #"{"firesOn":[]}"#, "firesOn"),
      ("unsubscribe", #"{"subscriptionID":1}"#, "subscriptionID"),
    ])
  func wrongType(method: String, params: String, parameter: String) throws {
    client.send(#"{"jsonrpc":"2.0","id":1,"method":"\#(method)","params":\#(params)}"#)
    let data = try client.receive()["error"]?["data"]
    #expect(data?["errorCode"] == "invalidArguments" && data?["parameter"] == .string(parameter))
  }

  @Test("A predicate that is too long is refused by its limit")
  func longPredicate() throws {
    let text = JSONNode.string(String(repeating: " ", count: 70_000) + "TRUEPREDICATE")
    let data = try client.failure("countRecords", ["recordType": "Item", "predicate": text])
    #expect(data["limitName"] == "maximumPredicateBytes" && data["actual"] == 70_013)
  }

  @Test("Too many sort descriptors are refused by their limit")
  func manySortDescriptors() throws {
    let descriptors = JSONNode.array(Array(repeating: ["key": "a"], count: 33))
    let data = try client.failure("performQuery", ["recordType": "Item", "sortDescriptors": descriptors])
    #expect(data["limitName"] == "maximumSortDescriptors" && data["actual"] == 33)
  }
}
