import JSONRPC
import Testing

@testable import listsrpc

/// The record's JSON; the fault with `!` before it; nil where there is nothing to import.
private func read(_ row: String, _ form: some RecordForm) throws -> String? {
  var form = form
  do {
    return try form.read(JSON(parsing: row))?.record.text
  } catch let fault as RowMapping.Fault {
    return "!" + fault.reason
  }
}

struct CloudKitFormTests {
  private func field(_ value: String) throws -> String? {
    let text = try read(#"{"recordType":"T","recordName":"n","fields":{"f":\#(value)}}"#, CloudKitForm())
    return text?.replacing(#"{"recordType":"T","recordName":"n","fields":{"f":"#, with: "").replacing(
      /\}\}$/, with: "")
  }

  @Test(
    "Every type of value, with and without its name",
    arguments: [
      (#"{"value":"a","type":"STRING"}"#, #""a""#), (#"{"value":"a"}"#, #""a""#),
      (#"{"value":5,"type":"INT64"}"#, "5"),
      (#"{"value":"-9223372036854775808","type":"INT64"}"#, "-9223372036854775808"),
      (#"{"value":5,"type":"NUMBER_INT64"}"#, "5"), (#"{"value":5,"type":"DOUBLE"}"#, "5.0"),
      (#"{"value":"1.5","type":"NUMBER_DOUBLE"}"#, "1.5"), (#"{"value":true,"type":"BOOLEAN"}"#, "true"),
      (#"{"value":1796000000123,"type":"TIMESTAMP"}"#, #"{"$date":1796000000123}"#),
      (#"{"value":1796000000123.4,"type":"TIMESTAMP"}"#, #"{"$date":1796000000123}"#),
      (#"{"value":"aGk=","type":"BYTES"}"#, #"{"$bytes":"aGk="}"#),
      (#"{"value":"aGk=","type":"ENCRYPTED_BYTES"}"#, #"{"$bytes":"aGk="}"#),
      (
        #"{"value":{"latitude":50,"longitude":4.5,"altitude":3},"type":"LOCATION"}"#,
        #"{"$location":{"latitude":50.0,"longitude":4.5}}"#
      ),
      (
        #"{"value":{"recordName":"x","zoneID":{"zoneName":"z"},"action":"DELETE_SELF"},"type":"REFERENCE"}"#,
        #"{"$reference":{"recordName":"x","zoneName":"z","action":"deleteSelf"}}"#
      ),
      (#"{"value":{"recordName":"x","action":"NONE"}}"#, #"{"$reference":{"recordName":"x"}}"#),
      (
        #"{"value":{"recordName":"x","action":"VALIDATE"}}"#,
        #"{"$reference":{"recordName":"x","action":"validate"}}"#
      ),
      (#"{"value":["a","b"],"type":"STRING_LIST"}"#, #"["a","b"]"#), (#"{"value":[1,2]}"#, "[1,2]"),
      (#"{"value":[1,2],"type":"DOUBLE_LIST"}"#, "[1.0,2.0]"), (#"{"value":[],"type":"EMPTY_LIST"}"#, "[]"),
      (#"{"value":[1],"type":"TIMESTAMP_LIST"}"#, #"[{"$date":1}]"#),
      (
        #"{"value":{"fileChecksum":"AbC=","size":3,"receipt":"r"},"type":"ASSETID"}"#,
        #"{"fileChecksum":"AbC=","size":3}"#
      ),
      (#"{"value":null,"type":"STRING"}"#, "null"), (#"{"value":null,"type":"STRING_LIST"}"#, "null"),
    ])
  func values(value: String, expected: String) throws {
    #expect(try field(value) == expected)
  }

  @Test(
    "What is no value of its type is a fault that names the field",
    arguments: [
      #"{"value":1,"type":"STRING"}"#, #"{"value":1.5,"type":"INT64"}"#, #"{"value":"x","type":"DOUBLE"}"#,
      #"{"value":{},"type":"LOCATION"}"#, #"{"value":1,"type":"REFERENCE"}"#, #"{"value":1,"type":"NUMBER"}"#,
      #"{"value":1,"type":"STRING_LIST"}"#, #"{"value":[[1]]}"#, #"{"value":{"a":1}}"#, #"{"type":"STRING"}"#,
      #"5"#, #"{"value":{"fileChecksum":"AbC="},"type":"ASSETID"}"#,
    ])
  func faults(value: String) throws {
    #expect(try field(value)?.hasPrefix("!its 'f' ") == true)
  }

  @Test("Zones come along; deleted records are passed over, and errors are no records")
  func records() throws {
    #expect(
      try read(
        #"{"recordName":"n","recordType":"T","zoneID":{"zoneName":"z","ownerRecordName":"_x"},"fields":{},"pluginFields":{},"created":{"timestamp":1}}"#,
        CloudKitForm()) == #"{"recordType":"T","recordName":"n","zoneName":"z","fields":{}}"#)
    var form = CloudKitForm()
    #expect(try form.read(JSON(parsing: #"{"recordName":"n","deleted":true}"#)) == nil)
    #expect(form.notes.count == 1)
    #expect(
      try read(#"{"recordName":"n","serverErrorCode":"NOT_FOUND","reason":"gone"}"#, CloudKitForm())?
        .contains("NOT_FOUND") == true)
  }

  @Test("Rows are told apart by their form, this service's own first")
  func forms() throws {
    for (row, name) in [
      (#"{"recordName":"n","recordType":"T","fields":{"a":{"value":1}}}"#, "CloudKitForm"),
      (#"{"recordName":"n","recordType":"T","fields":{},"zoneID":{}}"#, "CloudKitForm"),
      (#"{"objectId":"x","createdAt":"2020-01-01T00:00:00.000Z","a":1}"#, "ParseForm"),
      (#"{"owningId":"x","relatedId":"y"}"#, "ParseForm"),
      (#"{"recordName":"n","recordType":"T","zoneName":"z","fields":{"a":{"value":1}}}"#, "nil"),
      (#"{"recordName":"n","recordType":"T","fields":{"a":1}}"#, "nil"), (#"{"name":"x"}"#, "nil"),
    ] {
      let form = try RecordForms.found(in: JSON(parsing: row), className: nil)
      #expect(form.map { "\(type(of: $0))" } ?? "nil" == name, "\(row)")
    }
  }
}

struct ParseFormTests {
  @Test("Every type of value; Parse's own classes lose their underscore, and numbers are doubles")
  func values() throws {
    let row = """
      {"objectId":"Ed1","createdAt":"2011-08-20T02:06:57.931Z","updatedAt":"2011-08-20T02:06:57.931Z","score":1337,\
      "name":"x","cheat":false,"none":null,"ACL":{"*":{"read":true}},"tags":["a"],\
      "at":{"__type":"Date","iso":"2012-01-01T00:00:00.000Z"},"raw":{"__type":"Bytes","base64":"aG\\nk="},\
      "to":{"__type":"Pointer","className":"_User","objectId":"u1"},\
      "full":{"__type":"Object","className":"Post","objectId":"p1","title":"t"},\
      "place":{"__type":"GeoPoint","latitude":40,"longitude":-30.5},\
      "area":{"__type":"Polygon","coordinates":[[0,1],[2,3]]},"likes":{"__type":"Relation","className":"_User"},\
      "many":[{"__type":"Pointer","className":"_User","objectId":"u2"}],\
      "file":{"__type":"File","name":"a.png","url":"http://x/a.png"}}
      """
    let fields = """
      {"createdAt":{"$date":"2011-08-20T02:06:57.931Z"},"updatedAt":{"$date":"2011-08-20T02:06:57.931Z"},\
      "score":1337.0,"name":"x","cheat":false,"none":null,"ACL":{"*":{"read":true}},"tags":["a"],\
      "at":{"$date":"2012-01-01T00:00:00.000Z"},"raw":{"$bytes":"aGk="},\
      "to":{"$reference":{"recordName":"u1"}},"full":{"$reference":{"recordName":"p1"}},\
      "place":{"$location":{"latitude":40,"longitude":-30.5}},\
      "area":[{"$location":{"latitude":0,"longitude":1}},{"$location":{"latitude":2,"longitude":3}}],\
      "many":[{"$reference":{"recordName":"u2"}}],\
      "file":{"__type":"File","name":"a.png","url":"http://x/a.png"}}
      """
    var form = ParseForm(className: "_Role")
    let record = try form.read(JSON(parsing: row))?.record
    #expect(record?.text == #"{"recordType":"Role","recordName":"Ed1","fields":\#(fields)}"#)
    #expect(form.notes.count == 2)
  }

  @Test("The class is the row's own, else the file's; the members of a relation are added to its owner")
  func classes() throws {
    #expect(
      try read(#"{"objectId":"a","className":"_User","n":1}"#, ParseForm(className: "X"))
        == #"{"recordType":"User","recordName":"a","fields":{"n":1.0}}"#)
    #expect(try read(#"{"objectId":"a"}"#, ParseForm(className: nil))?.hasPrefix("!its class") == true)
    var join = ParseForm(className: "_Join:likes:Post")
    let member = try join.read(JSON(parsing: #"{"owningId":"p1","relatedId":"u1"}"#))
    #expect(member?.operationType == "update")
    #expect(
      member?.record.text
        == #"{"recordType":"Post","recordName":"p1","fields":{"likes":{"$addUnique":[{"$reference":{"recordName":"u1"}}]}}}"#
    )
    #expect(ParseForm.className(ofFile: "export/_User.json") == "_User")
    #expect(ParseForm.className(ofFile: "-") == nil)
  }

  @Test(
    "What is no value of its type is a fault that names the field",
    arguments: [
      #"{"__type":"Date"}"#, #"{"__type":"Bytes"}"#, #"{"__type":"Pointer","className":"X"}"#, "[[1]]",
      #"{"__type":"GeoPoint","latitude":1}"#, #"{"__type":"Polygon","coordinates":[[1]]}"#,
      #"[{"__type":"Relation","className":"X"}]"#,
    ])
  func faults(value: String) throws {
    #expect(
      try read(#"{"objectId":"a","f":\#(value)}"#, ParseForm(className: "X"))?.hasPrefix("!its 'f' ") == true)
  }
}
