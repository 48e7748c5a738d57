internal import JSONRPC
internal import Records

/// A key of an index: entries are ascending in it, null first.
struct IndexPart: Hashable, Sendable {
  let path: FieldPath
  let collation: SortDescriptor.Collation

  init(_ path: FieldPath, _ collation: SortDescriptor.Collation = .codePoint) {
    self.path = path
    self.collation = collation
  }

  var descriptor: SortDescriptor { SortDescriptor(path, collation: collation) }
}

/// An index of a record type. It changes no answer, only how fast it comes.
struct DeclaredIndex: Sendable {
  enum Kind: String, Sendable {
    /// One entry for each record: the `SortKey` of its values under the parts.
    case ordered
    /// One part. An entry for each distinct element of the list there; one for a single value, none for null.
    case elements
    /// The words of every text of the type (FullText). No parts.
    case fullText
  }

  enum Origin: String, Sendable {
    /// The one by recordName, which every type has.
    case type
    /// A client asked for it.
    case declared
    /// Made because queries were slow without it.
    case automatic
  }

  let id: Int64
  /// Empty for the index that every type has: by recordName.
  var parts: [IndexPart]
  let kind: Kind
  var origin: Origin
  /// Whether it stands in the type's own list of indexes, rather than being that of a field.
  var isListed: Bool
  /// While it is being built: it covers the records up to this row. Nil when it covers all.
  var reached: Int64?
  /// The version of the collator that made its localized keys, or of the rules that its words were cut by; nil
  /// when it has neither.
  var collator: String?

  /// False while it is being built, or is to be built anew: it must not be read from.
  ///
  /// A localized one that is to be read must also be ``isOfCurrentCollator``.
  var isReady: Bool { reached == nil && isOfCurrentWords }

  init(
    id: Int64, parts: [IndexPart], kind: Kind = .ordered, origin: Origin = .declared, isListed: Bool = false,
    reached: Int64? = nil, collator: String? = nil
  ) {
    self.id = id
    self.parts = parts
    self.kind = kind
    self.origin = origin
    self.isListed = isListed
    self.reached = reached
    self.collator = collator
  }

  var paths: [FieldPath] { parts.map(\.path) }

  var isLocalized: Bool { parts.contains { $0.collation == .localized } }

  /// Whether its keys are those that the collator of this process would make. Loads it for a localized index,
  /// so to be asked last.
  var isOfCurrentCollator: Bool {
    guard isLocalized else { return true }
    guard let collator, let current = try? Collator.shared().version else { return false }
    return collator == current
  }

  /// In words, for a plan.
  var description: String {
    parts.isEmpty ? "recordName" : parts.map(\.descriptor.key).joined(separator: ", ")
  }
}

extension [IndexPart] {
  /// From the text that the file keeps; nil when it can't be understood.
  init?(keys: String) {
    guard let json = try? JSON(parsing: keys) else { return nil }
    self = []
    for key in json.elements {
      guard let part = IndexPart(key) else { return nil }
      append(part)
    }
  }

  /// As the file keeps it: `["list",{"key":"name","collation":"localized"},{"path":["a.b"]}]`.
  var keys: String {
    var writer = JSONWriter()
    writer.beginArray()
    for part in self { part.write(to: &writer) }
    writer.endArray()
    return String(decoding: writer.bytes, as: UTF8.self)
  }
}

extension IndexPart {
  fileprivate init?(_ json: JSON) {
    let path: FieldPath?
    if let components = json["path"] {
      path = FieldPath(components.elements.compactMap(\.stringValue))
    } else {
      path = (json["key"] ?? json).stringValue.flatMap { FieldPath($0) }
    }
    guard let path else { return nil }
    self.init(path, json["collation"]?.stringValue.flatMap(SortDescriptor.Collation.init) ?? .codePoint)
  }

  fileprivate func write(to writer: inout JSONWriter) {
    let key = descriptor.key
    // The name of a field may have points itself.
    let isPlain = FieldPath(key) == path
    if isPlain, collation == .codePoint { return writer.string(key) }
    writer.beginObject()
    if isPlain {
      writer.key("key")
      writer.string(key)
    } else {
      writer.key("path")
      writer.beginArray()
      for component in path.components { writer.string(component) }
      writer.endArray()
    }
    if collation != .codePoint {
      writer.key("collation")
      writer.string(collation.rawValue)
    }
    writer.endObject()
  }
}
