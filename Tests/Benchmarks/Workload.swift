/// What the clients ask for: 100,000 items of about 235 bytes in 1,000 lists, keys uniform at random.
struct Workload {
  enum Kind: String, CaseIterable {
    case echo, fetch, save, query
  }

  static let lists = 1000

  let kind: Kind
  let records: Int
  private var random = Xorshift()
  private var lastID = 0

  init(_ kind: Kind, records: Int) {
    self.kind = kind
    self.records = records
  }

  /// The next request, one line with its line feed.
  mutating func nextRequest() -> String {
    lastID += 1
    let item = Int(random.next() % UInt64(records))
    switch kind {
    case .echo:
      return request("echo", "{\"x\":\"\(String(repeating: "a", count: 200))\"}")
    case .fetch:
      return request("fetchRecord", "{\"recordName\":\"\(Self.name(of: item))\"}")
    case .save:
      let quantity = Int(random.next() % 1000)
      return request(
        "saveRecord",
        "{\"record\":\(Self.record(item, quantity: quantity)),\"savePolicy\":\"allKeys\"}")
    case .query:
      let list = item % Self.lists
      return request(
        "performQuery",
        """
        {"recordType":"Item","predicate":"list == %@ AND done == NO",\
        "arguments":[{"$reference":{"recordName":"list-\(list)"}}],\
        "sortDescriptors":[{"key":"name"}],"resultsLimit":50}
        """)
    }
  }

  private func request(_ method: String, _ params: String) -> String {
    "{\"jsonrpc\":\"2.0\",\"id\":\(lastID),\"method\":\"\(method)\",\"params\":\(params)}\n"
  }

  static func name(of item: Int) -> String { "item-\(item)" }

  /// One item's record. Half of each list's hundred items are open.
  static func record(_ item: Int, quantity: Int) -> String {
    """
    {"recordType":"Item","recordName":"\(name(of: item))","fields":{"name":"Semi-skimmed milk \(item * 7919 % 1_000_000)",\
    "quantity":\(quantity),"done":\((item / lists).isMultiple(of: 2)),"createdAt":{"$date":"2026-03-14T09:26:53.589Z"},\
    "list":{"$reference":{"recordName":"list-\(item % lists)"}}}}
    """
  }

  /// The requests that fill an empty store: batches of `batchSize` creations.
  static func fillRequests(records: Int, batchSize: Int) -> [String] {
    stride(from: 0, to: records, by: batchSize).map { start in
      let operations = (start..<min(start + batchSize, records)).map {
        "{\"operationType\":\"forceReplace\",\"record\":\(record($0, quantity: $0 % 10))}"
      }
      return """
        {"jsonrpc":"2.0","id":\(start),"method":"modifyRecords","params":{"operations":[\
        \(operations.joined(separator: ","))]}}

        """
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
