import InProcessService
import JSONRPC

/// What a client holds of a live result or a live count that applies blindly what it is pushed.
struct LiveList {
  struct Row {
    var record: JSONNode
    var section: JSONNode?
  }

  /// A push that can't be applied.
  struct Misfit: Error, CustomStringConvertible {
    var description: String
  }

  private(set) var rows: [Row] = []
  private(set) var count: Int?
  /// Reason, name, from and to of each change, and changedKeys where they were told: `updated b 1>0 n`.
  private(set) var told: [String] = []
  private(set) var greatestCount = 0
  private var lastSequenceNumber = 0

  var names: [String] { rows.map { $0.record["recordName"]?.text ?? "" } }

  /// What was told since it was asked last.
  mutating func takeTold() -> [String] {
    defer { told = [] }
    return told
  }

  mutating func apply(_ push: JSONNode) throws {
    guard let params = push["params"], push["method"] == "recordsChanged" else {
      throw Misfit(description: "\(push)")
    }
    lastSequenceNumber += 1
    guard params["seq"] == .int(Int64(lastSequenceNumber)), params["resync"] == nil else {
      throw Misfit(description: "\(params) after \(lastSequenceNumber - 1)")
    }
    if let count = params["count"] { self.count = count.count }
    for change in params["changes"]?.elements ?? [] { try apply(change: change) }
  }

  private mutating func apply(change: JSONNode) throws {
    let name = change["recordName"]?.text ?? ""
    let from = change["from"].map(\.count)
    let to = change["to"].map(\.count)
    let places = "\(from.map(String.init) ?? "")>\(to.map(String.init) ?? "")"
    let keys = (change["changedKeys"]?.elements ?? []).map(\.text)
    told.append(([change["reason"]?.text ?? "", name, places] + keys).joined(separator: " "))
    if let from {
      guard rows.indices.contains(from), names[from] == name else {
        throw Misfit(description: "\(name) is not at \(from) of \(names)")
      }
      rows.remove(at: from)
    }
    if let to {
      guard to <= rows.count, let record = change["record"] else {
        throw Misfit(description: "\(change) does not fit into \(names)")
      }
      rows.insert(Row(record: record, section: change["section"]), at: to)
    }
    greatestCount = max(greatestCount, rows.count)
  }
}

/// Random numbers that are the same in every run (SplitMix64).
struct Chance: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
    return value ^ value >> 31
  }

  mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &self) }

  mutating func one<Value>(of values: [Value]) -> Value { values[below(values.count)] }
}
