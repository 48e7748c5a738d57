/// What a save does with what is there already.
public enum SavePolicy: String, Sendable, CaseIterable {
  /// Replaces the version whose tag was sent; without a tag, makes a record that is not there yet.
  case ifServerRecordUnchanged
  /// Merges the sent fields, whatever the version.
  case changedKeys
  /// Replaces all fields, whatever the version.
  case allKeys
}
