/// A name told apart from others by its bytes, as names are here: for sets and dictionaries, where `String`
/// would take composed and decomposed characters for one.
struct FieldName: Sendable, Hashable {
  let text: String

  init(_ text: String) { self.text = text }

  static func == (left: FieldName, right: FieldName) -> Bool { left.text.hasSameUTF8(as: right.text) }

  func hash(into hasher: inout Hasher) { hasher.combine(text) }
}

/// Names of which none may stand twice.
struct DistinctNames {
  private var few: [FieldName] = []
  private var many: Set<FieldName> = []

  /// False when the name is there already.
  mutating func insert(_ name: String) -> Bool {
    let name = FieldName(name)
    if !many.isEmpty { return many.insert(name).inserted }
    guard !few.contains(name) else { return false }
    few.append(name)
    if few.count > 16 { many = Set(few) }
    return true
  }
}
