import Records
import Testing

@testable import listsrpc

struct SchemaParserTests {
  @Test(
    "A schema as CloudKit's tools write it: roles, system fields, types, lists, options, grants, comments")
  func whole() throws {
    let schema = try SchemaParser.parse(
      """
      DEFINE SCHEMA
          CREATE ROLE DeptManager;

          RECORD TYPE Department (
              "___createTime" TIMESTAMP QUERYABLE SORTABLE,
              "___recordID"   REFERENCE QUERYABLE,
              "___etag"       STRING,
              // for humans
              name            STRING QUERYABLE SEARCHABLE SORTABLE, -- and more
              phone           LIST<STRING>, /* over
              lines */ employees LIST<REFERENCE>,
              "grant"         NUMBER PREFERRED AS INT64,
              size            NUMBER,
              secret          ENCRYPTED BYTES,
              hours           LIST < TIMESTAMP >,
              GRANT WRITE TO "_creator",
              GRANT READ, CREATE, WRITE TO DeptManager
          );
          RECORD TYPE Users (roles LIST<INT64>);
      """)
    #expect(schema.roles == ["DeptManager"])
    #expect(schema.recordTypes.map(\.name) == ["Department", "Users"])
    let type = schema.recordTypes[0]
    #expect(
      type.systemFields == [.createTime: [.queryable, .sortable], .recordID: [.queryable], .etag: []])
    #expect(
      type.fields == [
        .init(name: "name", type: FieldType(.string), options: [.queryable, .sortable, .searchable]),
        .init(name: "phone", type: FieldType(.string, isList: true)),
        .init(name: "employees", type: FieldType(.reference, isList: true)),
        .init(name: "grant", type: FieldType(.int64)), .init(name: "size", type: FieldType(.double)),
        .init(name: "secret", type: FieldType(.bytes), isEncrypted: true),
        .init(name: "hours", type: FieldType(.date, isList: true)),
      ])
    #expect(type.grants == 2)
  }

  @Test("Every type is known, alone and in a list, and words of the language in any case")
  func types() throws {
    for (word, type) in CloudKitSchema.types {
      let schema = try SchemaParser.parse(
        "define schema record type T (a \(word.lowercased()), b LIST<\(word)>);")
      #expect(schema.recordTypes[0].fields.map(\.type) == [FieldType(type), FieldType(type, isList: true)])
    }
  }

  @Test(
    "What is odd and allowed",
    arguments: [
      "DEFINE SCHEMA", "\u{FEFF}DEFINE SCHEMA\r\n", "DEFINE SCHEMA RECORD TYPE T ();",
      "DEFINE SCHEMA RECORD TYPE T (list LIST<STRING>, type STRING, record INT64, number NUMBER, to DOUBLE);",
      "DEFINE SCHEMA RECORD TYPE \"a \"\"b\"\"\" (\"é\" STRING);", "/**/DEFINE/* * / */SCHEMA--",
      "--\rDEFINE SCHEMA",
    ])
  func odd(text: String) throws {
    #expect(throws: Never.self) { try SchemaParser.parse(text) }
  }

  @Test(
    "What can't be read is refused at its line and column",
    arguments: [
      ("", 1, 1, "expected DEFINE"), ("DEFINE SCHEMAS", 1, 8, "expected SCHEMA"),
      ("DEFINE SCHEMA\n  TABLE T", 2, 3, "expected RECORD TYPE"),
      ("DEFINE SCHEMA RECORD TYPE T (a STRING)", 1, 39, "expected ;, not the end"),
      ("DEFINE SCHEMA RECORD TYPE T (a STRING b);", 1, 39, "expected QUERYABLE"),
      ("DEFINE SCHEMA RECORD TYPE T (a TEXT);", 1, 32, "expected a type"),
      ("DEFINE SCHEMA RECORD TYPE T (a LIST<LIST<STRING>>);", 1, 37, "list of lists"),
      ("DEFINE SCHEMA RECORD TYPE T (a LIST<STRING);", 1, 43, "expected >"),
      ("DEFINE SCHEMA RECORD TYPE T (\r\n a ENCRYPTED ASSET);", 2, 14, "expected a type"),
      ("DEFINE SCHEMA RECORD TYPE T (a NUMBER PREFERRED AS STRING);", 1, 52, "INT64 or DOUBLE"),
      ("DEFINE SCHEMA RECORD TYPE T (a STRING,);", 1, 39, "expected the name of a field"),
      ("DEFINE SCHEMA RECORD TYPE T (a STRING a);", 1, 39, "expected QUERYABLE"),
      ("DEFINE SCHEMA RECORD TYPE T (a STRING,\n\ta INT64);", 2, 2, "'a' is defined twice"),
      ("DEFINE SCHEMA RECORD TYPE T (a STRING SORTABLE SORTABLE);", 1, 48, "twice"),
      ("DEFINE SCHEMA RECORD TYPE T ();\nRECORD TYPE T ();", 2, 13, "'T' is defined twice"),
      ("DEFINE SCHEMA RECORD TYPE T (\"___etag\" INT64);", 1, 40, "is a STRING"),
      ("DEFINE SCHEMA RECORD TYPE T (\"___other\" INT64);", 1, 30, "no field that every record type has"),
      ("DEFINE SCHEMA RECORD TYPE T (queryable STRING);", 1, 30, "double quotes"),
      ("DEFINE SCHEMA RECORD TYPE T (GRANT EAT TO x);", 1, 36, "READ, CREATE or WRITE"),
      ("DEFINE SCHEMA RECORD TYPE \"T", 1, 27, "not closed"),
      ("DEFINE SCHEMA RECORD TYPE \"\" ();", 1, 27, "empty"), ("DEFINE\n/* SCHEMA", 2, 1, "not closed"),
      ("DEFINE SCHEMA RECORD TYPE T = ();", 1, 29, "'=' has no meaning"),
    ])
  func faults(text: String, line: Int, column: Int, message: String) {
    #expect {
      try SchemaParser.parse(text)
    } throws: { error in
      guard let fault = error as? SchemaFault else { return false }
      return fault.line == line && fault.column == column && fault.message.contains(message)
    }
  }

  @Test("A schema written and read again is the same, whatever its names")
  func roundTrip() throws {
    var random = SystemRandomNumberGenerator()
    let names = ["a", "Name_2", "grant", "Sortable", "é ü", "x\"y", "list", "TO", "(;)", "-- no", "1st"]
    for _ in 0..<200 {
      var schema = CloudKitSchema()
      for name in names.shuffled().prefix(Int.random(in: 0...4, using: &random)) {
        var type = CloudKitSchema.RecordType(name: name)
        for field in names.shuffled().prefix(Int.random(in: 0...names.count, using: &random)) {
          let element = CloudKitSchema.types.values.randomElement() ?? .string
          type.fields.append(
            .init(
              name: field, type: FieldType(element, isList: .random()),
              options: Set(CloudKitSchema.Option.allCases.filter { _ in .random() }),
              isEncrypted: ![.asset, .reference].contains(element) && .random()))
        }
        for field in CloudKitSchema.SystemField.allCases {
          type.systemFields[field] = field == .recordID ? [.queryable] : .random() ? [.sortable] : []
        }
        type.grants = 3
        schema.recordTypes.append(type)
      }
      #expect(try SchemaParser.parse(schema.text) == schema)
    }
  }

  @Test("A text with anything taken out, put in or cut off is read, or refused at a place in it")
  func damaged() throws {
    let text = Array(
      "DEFINE SCHEMA CREATE ROLE r; RECORD TYPE T (\"___etag\" STRING, a LIST<INT64> SORTABLE, /* é */ GRANT READ TO r);"
        .unicodeScalars)
    let signs = Array("\"();,<>/*- \n\raé\u{301}_9".unicodeScalars)
    for index in text.indices {
      var variants = [Array(text[..<index]), Array(text[..<index] + text[(index + 1)...])]
      variants += signs.map { Array(text[..<index] + [$0] + text[index...]) }
      for variant in variants {
        var string = ""
        string.unicodeScalars.append(contentsOf: variant)
        do throws(SchemaFault) {
          _ = try SchemaParser.parse(string)
        } catch {
          let lines = variant.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r" }
          #expect(error.line >= 1 && error.line <= lines.count, "\(string)")
          #expect(error.column >= 1 && error.column <= variant.count + 1, "\(string)")
        }
      }
    }
  }
}
