import JSONRPC

/// The members of a list that IN asks for, sorted so that a long list costs a record little.
final class PreparedMembers: Sendable {
  private let folding: TextFolding
  private let hasNull: Bool
  /// Folded, in ascending order.
  private let texts: [[UInt8]]
  /// Numbers, booleans and dates, as their sort keys, in ascending order.
  private let plainKeys: [[UInt8]]
  private let references: [Reference]

  /// Nil when one of the members is of a kind that only the definition of the language knows.
  init?(_ elements: [Predicate.Expression], folding: TextFolding) {
    var hasNull = false
    var texts: [[UInt8]] = []
    var plainKeys: [[UInt8]] = []
    var references: [Reference] = []
    for element in elements {
      guard case .value(let value) = element else { return nil }
      switch value {
      case nil: hasNull = true
      case .string(let text): texts.append(folding.folded(text))
      case .int64, .double, .boolean, .date: plainKeys.append(value.map(SortKey.key(of:)) ?? [])
      case .reference(let reference): references.append(reference)
      default: return nil
      }
    }
    texts.sort { $0.lexicographicallyPrecedes($1) }
    plainKeys.sort { $0.lexicographicallyPrecedes($1) }
    self.folding = folding
    self.hasNull = hasNull
    self.texts = texts
    self.plainKeys = plainKeys
    self.references = references
  }

  /// Whether one of the members equals the value with this JSON (nil for null) of the record.
  func contains(_ json: JSON?, of record: StoredRecord) -> Bool {
    guard let json else { return hasNull }
    switch json.kind {
    case .string:
      return !texts.isEmpty && withFoldedText(of: json, folding: folding) { Self.contains($0, in: texts) }
    case .number, .boolean, .object:
      if !plainKeys.isEmpty, let value = json.plainValue {
        let key = SortKey.key(of: value)
        return Self.contains(key.span, in: plainKeys)
      }
      return references.contains { json.isReference(to: $0, from: record) }
    case .array, .null: return false
    }
  }

  private static func contains(_ bytes: Span<UInt8>, in sorted: [[UInt8]]) -> Bool {
    var low = 0
    var high = sorted.count
    while low < high {
      let middle = (low + high) / 2
      let candidate = sorted[middle]
      switch Order(bytes: candidate.span, bytes) {
      case .same: return true
      case .before: low = middle + 1
      case .after: high = middle
      }
    }
    return false
  }
}
