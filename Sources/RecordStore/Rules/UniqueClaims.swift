internal import Records

/// The values that an atomic request saves under `unique`: whether another record has one too shows at its end, so
/// that two records may exchange theirs.
struct UniqueClaims {
  /// A field of a record.
  struct Place: Hashable {
    /// Its row.
    var record: Int64
    var field: Name
  }

  /// The last operation of the request that saved a value there.
  private(set) var operations: [Place: Int] = [:]

  mutating func claim(_ field: Name, ofRecord record: Int64, by operation: Int) {
    operations[Place(record: record, field: field)] = operation
  }

  /// In the order of the operations.
  var places: [(place: Place, operation: Int)] {
    operations.map { ($0.key, $0.value) }.sorted { ($0.1, $0.0.field) < ($1.1, $1.0.field) }
  }
}
