internal import Records
internal import SQLite

/// The choice of an access path.
///
/// 1. Names in the predicate are looked up.
/// 2. For a page: an index whose stretches hold nothing but matches, in the query's order, is taken at once; no
///    other can look at fewer records.
/// 3. Otherwise the indexes that narrow the search down are compared by the entries in their stretches, which
///    are counted up to a bound; so is the union of one index for each branch of an `OR`, and what the full-text
///    index would find. One that gives the query's order as well ends with the page: it is expected to look at
///    as many records as it takes to come upon a page of matches, which are presumed to lie evenly, twice that
///    for caution. All others look at all the records that their entries lead to; but where the order is that of
///    names, and the entries are not too many, these are sorted before any record is read, which makes them a
///    way in the query's order.
/// 4. Where nothing narrows down, an index in the query's order, then all records of the type.
struct PathChoice {
  let path: AccessPath
  /// The indexes that narrow down too, and were not taken.
  let passedOver: [DeclaredIndex]

  /// - Parameters:
  ///   - order: the order that a page is wanted in.
  ///   - limit: records of the page; nil when all records that match are wanted, in any order.
  init(
    _ conditions: QueryConditions, _ order: QueryOrder, type: RecordType, limit: Int?,
    _ connection: Connection
  ) throws(SQLiteError) {
    if conditions.isImpossible {
      (path, passedOver) = (.nothing, [])
    } else if let names = conditions.names {
      (path, passedOver) = (.names(names), [])
    } else {
      let chooser = PathChooser(type, limit: limit, connection)
      (path, passedOver) = try chooser.choose(conditions, order)
    }
  }
}

// MARK: Names

extension QueryConditions {
  private static let maximumNames = 1000
  private static let recordName = FieldPath(SystemKey.recordName.rawValue)

  /// The names that a record may have; nil when there is no such list.
  ///
  /// Names are kept by their bytes, while a predicate takes canonically equivalent texts for one: only names
  /// that no other text is equivalent to can be looked up. `K`, `;` and the grave accent each have a double
  /// (U+212A, U+037E, U+1FEF).
  var names: [String]? {
    guard let path = Self.recordName, let keys = keys[path], keys.ranges.count <= Self.maximumNames,
      let points = keys.points
    else { return nil }
    let tag = SortKey.prefix(ofTextsBeginningWith: "")
    var names: [String] = []
    for key in points where key.starts(with: tag) {
      // Names have no zero byte, so nothing in the key is escaped; two bytes end it.
      let name = key.dropFirst(tag.count).dropLast(2)
      guard name.allSatisfy({ $0 < 0x80 && $0 != 0x4B && $0 != 0x3B && $0 != 0x60 }) else { return nil }
      names.append(String(decoding: name, as: UTF8.self))
    }
    return names
  }
}
