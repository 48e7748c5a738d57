/// Finds the records that references lead to, in the snapshot that the evaluated record is of.
///
/// Asked again for the same record as often as a predicate or a sort key comes to it: whoever implements it
/// keeps what it found.
public protocol RecordResolver {
  /// The record; nil when there is none. Must be of the same database.
  func record(named recordName: String, inZone zoneName: String) -> StoredRecord?
}
