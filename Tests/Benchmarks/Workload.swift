/// What the clients ask for: 100,000 items of about 235 bytes in 1,000 lists, keys uniform at random.
enum Workload: String {
  case echo, fetch, save, query

  static let lists = 1000

  /// JSON-RPC requests of this kind, made in advance so that the clock sees none of their making.
  func requests(records: Int) -> [[UInt8]] {
    var random = Xorshift()
    return (0..<32768).map { id in
      let item = Int(random.next() % UInt64(records))
      return Array(request(id: id, item: item, quantity: Int(random.next() % 1000)).utf8)
    }
  }

  private func request(id: Int, item: Int, quantity: Int) -> String {
    switch self {
    case .echo:
      return Self.call(id, "echo", "{\"x\":\"\(String(repeating: "a", count: 200))\"}")
    case .fetch:
      return Self.call(id, "fetchRecord", "{\"recordName\":\"\(Self.name(of: item))\"}")
    case .save:
      return Self.call(
        id, "saveRecord",
        "{\"record\":\(Self.record(item, quantity: quantity)),\"savePolicy\":\"allKeys\"}")
    case .query:
      return Self.call(
        id, "performQuery",
        """
        {"recordType":"Item","predicate":"list == %@ AND done == NO",\
        "arguments":[{"$reference":{"recordName":"list-\(item % Self.lists)"}}],\
        "sortDescriptors":[{"key":"name"}],"resultsLimit":50}
        """)
    }
  }

  static func call(_ id: Int, _ method: String, _ params: String) -> String {
    "{\"jsonrpc\":\"2.0\",\"id\":\(id),\"method\":\"\(method)\",\"params\":\(params)}\n"
  }

  static func name(of item: Int) -> String { "item-\(item)" }

  /// One item's record. Half of each list's hundred items are open.
  static func record(_ item: Int, quantity: Int) -> String {
    """
    {"recordType":"Item","recordName":"\(name(of: item))","fields":{\
    "name":"Semi-skimmed milk \(item * 7919 % 1_000_000)",\
    "quantity":\(quantity),"done":\((item / lists).isMultiple(of: 2)),\
    "createdAt":{"$date":"2026-03-14T09:26:53.589Z"},\
    "list":{"$reference":{"recordName":"list-\(item % lists)"}}}}
    """
  }

  /// The requests that fill an empty store: batches of 500.
  static func fillRequests(records: Int) -> [[UInt8]] {
    stride(from: 0, to: records, by: 500).map { start in
      let operations = (start..<min(start + 500, records)).map {
        "{\"operationType\":\"forceReplace\",\"record\":\(record($0, quantity: $0 % 10))}"
      }
      return Array(
        call(start, "modifyRecords", "{\"operations\":[\(operations.joined(separator: ","))]}").utf8)
    }
  }
}

/// Marsaglia's xorshift64: the same sequence in every run, so that runs compare.
struct Xorshift {
  private var state: UInt64 = 88_172_645_463_325_252

  mutating func next() -> UInt64 {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return state
  }
}
