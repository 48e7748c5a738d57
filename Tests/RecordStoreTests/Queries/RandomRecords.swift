import JSONRPC
import Records

@testable import RecordStore

/// Records of every kind of field, with values that are easily taken for others.
struct RandomRecords {
  var generator: Generator

  /// The fields, and the texts of their values as JSON.
  static let values: [(field: String, json: [String])] = [
    (
      "x",
      [
        #""""#, #""a""#, #""ab""#, #""abc""#, #""b""#, #""B""#, #""AB""#, #""e\u0301""#, #""\u00e9""#,
        #""e""#, #""\u00e9a""#, #""a\u0000b""#, #""a*c""#, #""stra\u00dfe""#, #""STRASSE""#, #""%""#,
        #""one two""#, #""two three""#, #""\u1112\u1161\u11ab""#, #""\ud55c""#, #""10""#,
      ]
    ),
    (
      "n",
      [
        "0", "1", "2", "3", "-1", "9007199254740992", "9007199254740993", "9007199254740994",
        "9223372036854775807", "-9223372036854775808",
      ]
    ),
    ("d", ["0.5", "1.0", "-0.0", "1.5", "2.0", "3.0", "9007199254740992.0", "1e300", "-2.5"]),
    ("b", ["true", "false"]),
    (
      "w",
      [
        #"{"$date":"2026-01-01T00:00:00.000Z"}"#, #"{"$date":"2026-01-01T00:00:00.001Z"}"#,
        #"{"$date":"1969-12-31T23:59:59.999Z"}"#,
      ]
    ),
    ("y", [#"{"$bytes":""}"#, #"{"$bytes":"AA=="}"#, #"{"$bytes":"AAE="}"#, #"{"$bytes":"/w=="}"#]),
    (
      "p",
      [
        place(50.85, 4.35), place(50.9, 4.4), place(-90, 3), place(0, 180), place(0, -180),
        place(48.2, 16.37),
        place(89.9, 0),
      ]
    ),
    (
      "r",
      [
        reference("0"), reference("1"), reference("2"), reference("0", zone: "_defaultZone"),
        reference("gone"),
        reference("o1"),
      ]
    ),
    (
      "tags",
      ["[]", #"["a"]"#, #"["a","b"]"#, #"["b","e\u0301"]"#, #"["\u00e9","a"]"#, #"["a","a"]"#, #"["B"]"#]
    ),
    ("nums", ["[]", "[1]", "[1,2]", "[2,1]", "[9007199254740993]", "[3,3,1]"]),
    ("refs", [#"[\#(reference("0"))]"#, #"[\#(reference("1")),\#(reference("o2"))]"#, "[]"]),
    (
      "o",
      [
        #"{"a":1}"#, #"{"a":"x","l":[1,null,2]}"#, #"{"a":null,"s":"ab"}"#, #"{"l":[{"k":1},{"k":null}]}"#,
        #"{"s":"abc","a":1.5}"#, "{}", #"{"a":[1,2]}"#, #"{"l":["x",["a"]]}"#,
      ]
    ),
  ]

  private static func place(_ latitude: Double, _ longitude: Double) -> String {
    #"{"$location":{"latitude":\#(latitude),"longitude":\#(longitude)}}"#
  }

  private static func reference(_ name: String, zone: String? = nil) -> String {
    let zone = zone.map { #","zoneName":"\#($0)""# } ?? ""
    return #"{"$reference":{"recordName":"\#(name)"\#(zone)}}"#
  }

  mutating func pick<Value>(_ values: [Value]) -> Value { values.randomElement(using: &generator)! }

  mutating func one(in count: Int) -> Bool { Int.random(in: 0..<count, using: &generator) == 0 }

  mutating func json(of field: String) -> String {
    pick(Self.values.first { $0.field == field }!.json)
  }

  /// A record as `draft` reads it.
  mutating func record(named name: String, type: String = "Item") -> String {
    var text = #"{"n":"\#(name)","type":"\#(type)""#
    for (field, values) in Self.values where !one(in: 3) {
      // `n` is the name in the short form.
      text += #","\#(field == "n" ? "i" : field)":\#(pick(values))"#
    }
    return text + "}"
  }

  /// Sets the fields' types, so that every value fits.
  static let first =
    #"{"n":"first","x":"a","i":1,"d":0.5,"b":true,"w":{"$date":"2026-01-01T00:00:00.000Z"},"#
    + #""y":{"$bytes":""},"p":\#(place(1, 1)),"r":\#(reference("0")),"tags":["a"],"nums":[1],"#
    + #""refs":[\#(reference("0"))],"o":{}}"#

  // MARK: Indexes

  static let indexes: [(kind: DeclaredIndex.Kind, keys: [String])] = [
    (.ordered, ["x"]), (.ordered, ["i"]), (.ordered, ["d"]), (.ordered, ["b"]), (.ordered, ["w"]),
    (.ordered, ["y"]), (.ordered, ["p"]), (.ordered, ["r"]), (.ordered, ["tags"]), (.ordered, ["o"]),
    (.ordered, ["o.a"]), (.ordered, ["o.s"]), (.ordered, ["tags.@count"]), (.ordered, ["recordName"]),
    (.ordered, ["creationDate"]), (.ordered, ["x", "i"]), (.ordered, ["i", "x"]), (.ordered, ["b", "x"]),
    (.ordered, ["b", "i", "x"]), (.ordered, ["x", "d", "i"]), (.ordered, ["d", "b"]),
    (.ordered, ["x localized"]), (.ordered, ["b", "x localized"]), (.ordered, ["i", "x localized"]),
    (.elements, ["tags"]), (.elements, ["nums"]), (.elements, ["refs"]), (.elements, ["o.l"]),
    (.elements, ["o.a"]), (.elements, ["x"]), (.fullText, []),
  ]

  static func parts(_ keys: [String]) -> [IndexPart] {
    keys.map { key in
      let words = key.split(separator: " ")
      return IndexPart(FieldPath(String(words[0]))!, words.count > 1 ? .localized : .codePoint)
    }
  }

  // MARK: Orders

  mutating func order() -> [SortDescriptor] {
    let keys = [
      "x", "i", "d", "b", "w", "y", "p", "r", "tags", "nums", "o", "o.a", "r.i", "r.x", "recordName", "o.s",
      "tags.@count", "creationDate", "missing",
    ]
    let isAscending = one(in: 2)
    return (0..<pick([0, 1, 1, 1, 2, 2, 3])).map { _ in
      let ascending = one(in: 6) ? !isAscending : isAscending
      let nulls: SortDescriptor.Nulls = one(in: 4) ? pick([.first, .last]) : .default
      if one(in: 12) {
        return SortDescriptor(
          FieldPath("p")!, ascending: ascending, nulls: nulls,
          relativeLocation: Location(latitude: 50, longitude: 4))
      }
      return SortDescriptor(
        FieldPath(pick(keys))!, ascending: ascending, nulls: nulls,
        collation: one(in: 6) ? .localized : .codePoint)
    }
  }
}
