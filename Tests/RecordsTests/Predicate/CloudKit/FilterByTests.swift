import JSONRPC
import Testing

@testable import Records

struct FilterByTests {
  private func filters(_ text: String) throws -> [JSON] {
    Array(try JSON(parsing: "[" + text + "]").elements)
  }

  /// CloudKit's filters, and the predicate in text that says the same; `%@` and the like take the arguments.
  static let cases: [(filters: String, text: String, arguments: String)] = [
    ("", "TRUEPREDICATE", ""),
    (
      #"{"comparator":"EQUALS","fieldName":"name","fieldValue":{"value":"x","type":"STRING"}}"#,
      "name == 'x'", ""
    ),
    (#"{"comparator":"NOT_EQUALS","fieldName":"name","fieldValue":{"value":"x"}}"#, "name != 'x'", ""),
    (#"{"comparator":"EQUALS","fieldName":"name","fieldValue":{"value":null}}"#, "name == NULL", ""),
    (#"{"comparator":"EQUALS","fieldName":"done","fieldValue":{"value":true}}"#, "done == TRUE", ""),
    (#"{"comparator":"LESS_THAN","fieldName":"n","fieldValue":{"value":1,"type":"INT64"}}"#, "n < 1", ""),
    (
      #"{"comparator":"LESS_THAN_OR_EQUALS","fieldName":"n","fieldValue":{"value":1,"type":"DOUBLE"}}"#,
      "n <= 1.0", ""
    ),
    (
      #"{"comparator":"GREATER_THAN","fieldName":"n","fieldValue":{"value":"12","type":"INT64"}}"#, "n > 12",
      ""
    ),
    (#"{"comparator":"GREATER_THAN_OR_EQUALS","fieldName":"n","fieldValue":{"value":1.5}}"#, "n >= 1.5", ""),
    (
      #"{"comparator":"NEAR","fieldName":"place","fieldValue":{"value":{"latitude":1,"longitude":2,"altitude":3},"type":"LOCATION"},"distance":1000}"#,
      "distanceToLocation:fromLocation:(place, %@) <= 1000", #"{"$location":{"latitude":1,"longitude":2}}"#
    ),
    (
      #"{"comparator":"NEAR","fieldName":"place","fieldValue":{"value":{"$location":{"latitude":1,"longitude":2}}},"distance":0.5}"#,
      "distanceToLocation:fromLocation:(place, %@) <= 0.5", #"{"$location":{"latitude":1,"longitude":2}}"#
    ),
    (#"{"comparator":"CONTAINS_ALL_TOKENS","fieldValue":{"value":"a b"}}"#, "SELF TOKENMATCHES 'a b'", ""),
    (#"{"comparator":"CONTAINS_ANY_TOKENS","fieldValue":{"value":["a","b"]}}"#, "SELF CONTAINS 'a b'", ""),
    (
      #"{"comparator":"CONTAINS_ALL_TOKENS","fieldName":"allTokens","fieldValue":{"value":"a b"}}"#,
      "allTokens TOKENMATCHES 'a b'", ""
    ),
    (
      #"{"comparator":"CONTAINS_ANY_TOKENS","fieldName":"allTokens","fieldValue":{"value":"a b"}}"#,
      "allTokens CONTAINS 'a b'", ""
    ),
    (
      #"{"comparator":"BEGINS_WITH","fieldName":"allTokens","fieldValue":{"value":"a"}}"#,
      "#allTokens BEGINSWITH 'a'", ""
    ),
    (
      #"{"comparator":"CONTAINS_ALL_TOKENS","fieldName":"t","fieldValue":{"value":"a b","type":"STRING"}}"#,
      "t TOKENMATCHES 'a b'", ""
    ),
    (
      #"{"comparator":"CONTAINS_ANY_TOKENS","fieldName":"t","fieldValue":{"value":"a b"}}"#,
      "t TOKENMATCHES 'a' OR t TOKENMATCHES 'b'", ""
    ),
    (
      #"{"comparator":"CONTAINS_ANY_TOKENS","fieldName":"t","fieldValue":{"value":"a"}}"#,
      "t TOKENMATCHES 'a'", ""
    ),
    (
      #"{"comparator":"IN","fieldName":"n","fieldValue":{"value":[1,2],"type":"INT64_LIST"}}"#, "n IN {1, 2}",
      ""
    ),
    (
      #"{"comparator":"NOT_IN","fieldName":"n","fieldValue":{"value":["a",null],"type":"STRING"}}"#,
      "NOT n IN {'a', NULL}", ""
    ),
    (#"{"comparator":"LIST_CONTAINS","fieldName":"tags","fieldValue":{"value":"a"}}"#, "ANY tags == 'a'", ""),
    (
      #"{"comparator":"NOT_LIST_CONTAINS","fieldName":"tags","fieldValue":{"value":"a"}}"#,
      "NONE tags == 'a'", ""
    ),
    (
      #"{"comparator":"LIST_CONTAINS_ANY","fieldName":"tags","fieldValue":{"value":["a","b"]}}"#,
      "ANY tags IN {'a', 'b'}", ""
    ),
    (
      #"{"comparator":"NOT_LIST_CONTAINS_ANY","fieldName":"tags","fieldValue":{"value":["a"],"type":"STRING_LIST"}}"#,
      "NONE tags IN {'a'}", ""
    ),
    (
      #"{"comparator":"BEGINS_WITH","fieldName":"name","fieldValue":{"value":"a"}}"#, "name BEGINSWITH 'a'",
      ""
    ),
    (
      #"{"comparator":"NOT_BEGINS_WITH","fieldName":"name","fieldValue":{"value":"a"}}"#,
      "NOT name BEGINSWITH 'a'", ""
    ),
    (
      #"{"comparator":"LIST_MEMBER_BEGINS_WITH","fieldName":"tags","fieldValue":{"value":"a"}}"#,
      "ANY tags BEGINSWITH 'a'", ""
    ),
    (
      #"{"comparator":"NOT_LIST_MEMBER_BEGINS_WITH","fieldName":"tags","fieldValue":{"value":"a"}}"#,
      "NONE tags BEGINSWITH 'a'", ""
    ),
    (
      #"{"comparator":"LIST_CONTAINS_ALL","fieldName":"tags","fieldValue":{"value":["a","b"]}}"#,
      "ANY tags == 'a' AND ANY tags == 'b'", ""
    ),
    (
      #"{"comparator":"LIST_CONTAINS_ALL","fieldName":"tags","fieldValue":{"value":["a"]}}"#,
      "ANY tags == 'a'", ""
    ),
    (
      #"{"comparator":"LIST_CONTAINS_ALL","fieldName":"tags","fieldValue":{"value":[]}}"#, "TRUEPREDICATE", ""
    ),
    (
      #"{"comparator":"NOT_LIST_CONTAINS_ALL","fieldName":"tags","fieldValue":{"value":["a","b"]}}"#,
      "NOT (ANY tags == 'a' AND ANY tags == 'b')", ""
    ),
    // Types.
    (
      #"{"comparator":"EQUALS","fieldName":"d","fieldValue":{"value":1764579600123,"type":"TIMESTAMP"}}"#,
      "d == %@",
      #"{"$date":1764579600123}"#
    ),
    (
      #"{"comparator":"EQUALS","fieldName":"d","fieldValue":{"value":{"$date":"2026-01-01T00:00:00Z"},"type":"TIMESTAMP"}}"#,
      "d == %@", #"{"$date":"2026-01-01T00:00:00Z"}"#
    ),
    (
      #"{"comparator":"EQUALS","fieldName":"b","fieldValue":{"value":"AQI=","type":"BYTES"}}"#, "b == %@",
      #"{"$bytes":"AQI="}"#
    ),
    (
      #"{"comparator":"EQUALS","fieldName":"l","fieldValue":{"value":["a"],"type":"STRING_LIST"}}"#,
      "l == {'a'}", ""
    ),
    (
      #"{"comparator":"EQUALS","fieldName":"list","fieldValue":{"value":{"recordName":"r","action":"DELETE_SELF"},"type":"REFERENCE"}}"#,
      "list == %@", #"{"$reference":{"recordName":"r","action":"deleteSelf"}}"#
    ),
    (
      #"{"comparator":"EQUALS","fieldName":"list","fieldValue":{"value":{"recordName":"r","zoneID":{"zoneName":"z"},"action":"NONE"}}}"#,
      "list == %@", #"{"$reference":{"recordName":"r","zoneName":"z"}}"#
    ),
    (
      #"{"comparator":"EQUALS","fieldName":"a","fieldValue":{"value":{"fileChecksum":"c","size":3},"type":"ASSETID"}}"#,
      "a == %@", #"{"$asset":{"checksum":"c","size":3}}"#
    ),
    // Names.
    (
      #"{"comparator":"GREATER_THAN","systemFieldName":"createdTimestamp","fieldValue":{"value":5}}"#,
      "creationDate > %@",
      #"{"$date":5}"#
    ),
    (
      #"{"comparator":"EQUALS","systemFieldName":"recordName","fieldValue":{"value":{"recordName":"r"},"type":"REFERENCE"}}"#,
      "recordName == 'r'", ""
    ),
    (
      #"{"comparator":"IN","fieldName":"___createdBy","fieldValue":{"value":[{"recordName":"_1"},"_2"]}}"#,
      "creatorUserRecordID IN {'_1', '_2'}", ""
    ),
    (
      #"{"comparator":"EQUALS","fieldName":"createdTimestamp","fieldValue":{"value":5}}"#,
      "createdTimestamp == 5", ""
    ),
    (
      #"{"comparator":"EQUALS","fieldName":"address.city","fieldValue":{"value":"x"}}"#,
      "address.city == 'x'", ""
    ),
    // Several.
    (
      #"{"comparator":"LIST_CONTAINS_ALL","fieldName":"t","fieldValue":{"value":[1,2]}},{"comparator":"EQUALS","fieldName":"n","fieldValue":{"value":3},"distance":null}"#,
      "ANY t == 1 AND ANY t == 2 AND n == 3", ""
    ),
  ]

  @Test("a filter is the tree that its predicate in text is", arguments: cases)
  func sameTree(filters: String, text: String, arguments: String) throws {
    let arguments = arguments.isEmpty ? [] : [try JSON(parsing: arguments)]
    let expected = try Predicate(parsing: text, arguments: arguments)
    #expect(try Predicate(filterBy: self.filters(filters)) == expected, "\(filters)")
  }

  @Test("every comparator of CloudKit is among the cases")
  func complete() {
    #expect(CloudKitComparator.allCases.count == 21)
    for comparator in CloudKitComparator.allCases {
      #expect(Self.cases.contains { $0.filters.contains("\"\(comparator.rawValue)\"") })
    }
  }

  @Test(
    "what is wrong is named by its place",
    arguments: [
      ("1", "filterBy[0]"), (#"{"fieldName":"a","fieldValue":{"value":1}}"#, "filterBy[0].comparator"),
      (#"{"comparator":"LIKE","fieldName":"a","fieldValue":{"value":1}}"#, "filterBy[0].comparator"),
      (#"{"comparator":"EQUALS","fieldValue":{"value":1}}"#, "filterBy[0]"),
      (
        #"{"comparator":"EQUALS","fieldName":"a","systemFieldName":"recordName","fieldValue":{"value":1}}"#,
        "filterBy[0]"
      ),
      (#"{"comparator":"EQUALS","fieldName":"","fieldValue":{"value":1}}"#, "filterBy[0].fieldName"),
      (#"{"comparator":"EQUALS","fieldName":7,"fieldValue":{"value":1}}"#, "filterBy[0].fieldName"),
      (
        #"{"comparator":"EQUALS","systemFieldName":"share","fieldValue":{"value":1}}"#,
        "filterBy[0].systemFieldName"
      ),
      (#"{"comparator":"EQUALS","fieldName":"a"}"#, "filterBy[0]"),
      (#"{"comparator":"EQUALS","fieldName":"a","fieldValue":1}"#, "filterBy[0].fieldValue"),
      (#"{"comparator":"EQUALS","fieldName":"a","fieldValue":{"type":"STRING"}}"#, "filterBy[0].fieldValue"),
      (
        #"{"comparator":"EQUALS","fieldName":"a","fieldValue":{"value":1,"typ":"STRING"}}"#,
        "filterBy[0].fieldValue"
      ),
      (
        #"{"comparator":"EQUALS","fieldName":"a","fieldValue":{"value":1,"type":"TEXT"}}"#,
        "filterBy[0].fieldValue.type"
      ),
      (
        #"{"comparator":"EQUALS","fieldName":"a","fieldValue":{"value":1,"type":"STRING"}}"#,
        "filterBy[0].fieldValue.value"
      ),
      (
        #"{"comparator":"EQUALS","fieldName":"a","fieldValue":{"value":"1x","type":"INT64"}}"#,
        "filterBy[0].fieldValue.value"
      ),
      (
        #"{"comparator":"EQUALS","fieldName":"a","fieldValue":{"value":"nan","type":"DOUBLE"}}"#,
        "filterBy[0].fieldValue.value"
      ),
      (
        #"{"comparator":"EQUALS","fieldName":"a","fieldValue":{"value":1e300,"type":"TIMESTAMP"}}"#,
        "filterBy[0].fieldValue.value"
      ),
      (
        #"{"comparator":"EQUALS","fieldName":"a","fieldValue":{"value":"?","type":"BYTES"}}"#,
        "filterBy[0].fieldValue.value"
      ),
      (
        #"{"comparator":"EQUALS","fieldName":"a","fieldValue":{"value":[[1]]}}"#,
        "filterBy[0].fieldValue.value[0]"
      ),
      (
        #"{"comparator":"EQUALS","fieldName":"a","fieldValue":{"value":{"$nosuch":1}}}"#,
        "filterBy[0].fieldValue.value"
      ),
      (
        #"{"comparator":"EQUALS","fieldName":"a","fieldValue":{"value":"x","type":"STRING_LIST"}}"#,
        "filterBy[0].fieldValue.value"
      ),
      (
        #"{"comparator":"EQUALS","fieldName":"a","fieldValue":{"value":{"recordName":"r","action":"KEEP"}}}"#,
        "filterBy[0].fieldValue.value.action"
      ),
      (
        #"{"comparator":"EQUALS","fieldName":"a","fieldValue":{"value":{"recordName":"r","zoneID":{}}}}"#,
        "filterBy[0].fieldValue.value.zoneID.zoneName"
      ),
      (#"{"comparator":"IN","fieldName":"a","fieldValue":{"value":1}}"#, "filterBy[0].fieldValue.value"),
      (
        #"{"comparator":"IN","fieldName":"a","fieldValue":{"value":[1,"x"],"type":"INT64_LIST"}}"#,
        "filterBy[0].fieldValue.value[1]"
      ),
      (
        #"{"comparator":"LESS_THAN","fieldName":"a","fieldValue":{"value":[1]}}"#,
        "filterBy[0].fieldValue.value"
      ),
      (
        #"{"comparator":"BEGINS_WITH","fieldName":"a","fieldValue":{"value":1}}"#,
        "filterBy[0].fieldValue.value"
      ),
      (#"{"comparator":"CONTAINS_ALL_TOKENS","fieldValue":{"value":" "}}"#, "filterBy[0].fieldValue.value"),
      (
        #"{"comparator":"CONTAINS_ANY_TOKENS","fieldValue":{"value":["a",1]}}"#,
        "filterBy[0].fieldValue.value[1]"
      ),
      (
        #"{"comparator":"NEAR","fieldName":"a","fieldValue":{"value":1},"distance":1}"#,
        "filterBy[0].fieldValue.value"
      ),
      (
        #"{"comparator":"NEAR","fieldName":"a","fieldValue":{"value":{"latitude":1,"longitude":2}}}"#,
        "filterBy[0].distance"
      ),
      (
        #"{"comparator":"NEAR","fieldName":"a","fieldValue":{"value":{"latitude":1,"longitude":2}},"distance":-1}"#,
        "filterBy[0].distance"
      ),
      (
        #"{"comparator":"NEAR","fieldName":"a","fieldValue":{"value":{"latitude":91,"longitude":2}},"distance":1}"#,
        "filterBy[0].fieldValue.value"
      ),
      (
        #"{"comparator":"EQUALS","fieldName":"a","fieldValue":{"value":1},"distance":1}"#,
        "filterBy[0].distance"
      ),
      (
        #"{"comparator":"EQUALS","fieldName":"a","fieldValue":{"value":1}},{"comparator":"X"}"#,
        "filterBy[1].comparator"
      ),
    ])
  func faults(filters: String, place: String) throws {
    let filters = try self.filters(filters)
    let error = #expect(throws: RecordError.self) { try Predicate(filterBy: filters) }
    #expect(error?.code == .invalidArguments)
    #expect(error?.details == [.init(name: "parameter", text: place)], "\(error?.message ?? "")")
    #expect(error?.message.contains(place) == true)
  }

  @Test("searches for words are bounded as in a predicate in text")
  func boundedSearches() throws {
    let filter =
      #"{"comparator":"CONTAINS_ANY_TOKENS","fieldName":"t","fieldValue":{"value":"\#(String(repeating: "a ", count: 60))"}}"#
    #expect(throws: Never.self) { try Predicate(filterBy: filters(filter)) }
    #expect(throws: RecordError.self) { try Predicate(filterBy: filters(filter + "," + filter)) }
  }
}
