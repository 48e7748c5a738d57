/// What is declared of a field beside its type. `rawValue` is as the file keeps it.
struct FieldIndexing: OptionSet, Sendable {
  let rawValue: Int64

  /// Compared in predicates: an ordered index, or one of the elements when the field is a list.
  static let queryable = FieldIndexing(rawValue: 1)
  /// Sorted by: an ordered index.
  static let sortable = FieldIndexing(rawValue: 2)
  /// Searched for words: the type has the full-text index.
  static let searchable = FieldIndexing(rawValue: 4)
  /// Sorted in localized order.
  static let localized = FieldIndexing(rawValue: 8)
}
