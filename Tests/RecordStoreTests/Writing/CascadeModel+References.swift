@testable import RecordStore
@testable import Records

extension CascadeModel {
  static func references(
    _ fields: Fields, of record: RecordPlace
  ) -> [(RecordPlace, Reference.Action)] {
    fields.values.flatMap { value -> [(RecordPlace, Reference.Action)] in
      let values: [FieldValue] = if case .list(let list) = value { list } else { [value] }
      return values.compactMap { value in
        guard case .reference(let reference) = value else { return nil }
        let zone = reference.zoneName ?? record.zoneName
        return (RecordPlace(recordName: reference.recordName, zoneName: zone), reference.action)
      }
    }
  }

  /// 0 for nothing, 1 for `setNull`, 2 for `deleteSelf`, 3 for the others.
  func strongest(_ record: RecordPlace, on target: RecordPlace) -> Int {
    Self.references(records[record] ?? [:], of: record).filter { $0.0 == target }.map { _, action in
      switch action {
      case .none: 0
      case .setNull: 1
      case .deleteSelf: 2
      case .restrict, .validate: 3
      }
    }.max() ?? 0
  }

  func without(_ targets: Set<RecordPlace>, _ record: RecordPlace) -> Fields {
    Self.without(targets, records[record] ?? [:], record)
  }

  /// What is left of a record's fields when those are gone.
  static func without(_ targets: Set<RecordPlace>, _ whole: Fields, _ record: RecordPlace) -> Fields {
    func isKept(_ value: FieldValue) -> Bool {
      let found = references(["": value], of: record)
      return !found.contains { targets.contains($0.0) && $0.1 == .setNull }
    }
    var fields: Fields = [:]
    for (name, value) in whole {
      guard case .list(let list) = value else {
        if isKept(value) { fields[name] = value }
        continue
      }
      let kept = list.filter(isKept)
      if !kept.isEmpty { fields[name] = .list(kept) }
    }
    return fields
  }
}
