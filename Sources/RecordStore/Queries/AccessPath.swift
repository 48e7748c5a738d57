internal import Records

/// How the records that may match are come by.
enum AccessPath {
  /// There are none.
  case nothing
  /// One after another by name, of all types.
  case names([String])
  /// All records of all types, by name, which may be the order of the query.
  case everything(isOrdered: Bool)
  case index(IndexAccess)
  /// What a full-text index finds.
  case words(DeclaredIndex, FullTextSearch)
  /// What is on any of these.
  case union([AccessPath])
  /// The records of another path, which is in no order, by name: so many entries are sorted before a record is
  /// read.
  indirect case gathered(AccessPath, entries: Int)

  /// Whether the records come in the query's order.
  var isOrdered: Bool {
    switch self {
    case .nothing: true
    case .names, .words, .union: false
    case .everything(let isOrdered): isOrdered
    case .index(let access): access.isOrdered
    case .gathered: true
    }
  }

  /// Whether records of other types may come too.
  var isOfAnyType: Bool {
    switch self {
    case .names, .everything: true
    case .nothing, .index, .words: false
    case .union(let paths): paths.contains(where: \.isOfAnyType)
    case .gathered(let path, _): path.isOfAnyType
    }
  }

  /// The indexes that are read, that by name apart.
  var indexes: [DeclaredIndex] {
    switch self {
    case .nothing, .names, .everything: []
    case .index(let access): access.index.isOfWholeType ? [] : [access.index]
    case .words(let index, _): [index]
    case .union(let paths): paths.flatMap(\.indexes)
    case .gathered(let path, _): path.indexes
    }
  }
}

extension DeclaredIndex {
  /// Whether it is the one that every type has: all records by name.
  var isOfWholeType: Bool { kind == .ordered && parts.isEmpty }
}
