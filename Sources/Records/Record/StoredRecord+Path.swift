import JSONRPC

extension StoredRecord {
  /// The value at a path; nil when it is missing.
  ///
  /// A path that goes on behind a list gives the list of what it finds in each element, in one level;
  /// elements in which it finds nothing are left out.
  public func value(at path: FieldPath) -> FieldValue? {
    if path.components.count == 1, !path.countsElements { return value(forKey: path.root) }
    return nil
  }
}
