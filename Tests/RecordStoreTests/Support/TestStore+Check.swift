import JSONRPC
import Records
import SQLite

@testable import RecordStore

extension TestStore {
  /// Whatever is kept twice and doesn't agree.
  func problems() throws -> [StoreReport.Problem] {
    let database = try Database(path: store.path, access: .readWrite, busyTimeout: 5000)
    return StoreCheck.problems(in: Connection(database))
  }

  /// Carries one operation out; what is refused is thrown as its own error.
  @discardableResult
  func done(_ operation: WriteOperation) throws -> ItemResult {
    do {
      return try write([operation]).items[0].get()
    } catch let failure as WriteFailure {
      throw failure.error
    }
  }

  @discardableResult
  func restore(
    _ name: String, tag: String? = nil, withCascade: Bool = false, zone: String = Identifier.defaultZone
  ) throws -> StoredRecord {
    let operation = RestoreOperation(
      zoneName: zone, recordName: name, recordChangeTag: tag, withCascade: withCascade)
    guard case .restored(let record, _) = try done(.restore(operation)) else { fatalError("not restored") }
    return record
  }

  /// Declares fields of `Item`, and changes those that there are.
  func declare(_ fields: String, _ changes: RecordTypeChanges = .init(), type: String = "Item") throws {
    var draft = RecordTypeDraft(name: type, fields: try declared(fields), changes: changes)
    draft.acceptsLoss = true
    try declare(draft)
  }
}

extension StoreCheck {
  static func problems(in connection: Connection) -> [StoreReport.Problem] {
    (try? StoreCheck(connection, isStopped: { false }))?.run()?.problems ?? []
  }
}

/// What `body` is refused with: `rule field recordName` of a rule that would be broken, else the error's code.
func broken(_ body: () throws -> some Any) -> String? {
  do {
    _ = try body()
    return nil
  } catch {
    guard let error = error as? RecordError else { return "\(error)" }
    guard error.code == .constraintViolation else { return error.code.rawValue }
    return ["rule", "field", "recordName"].compactMap { error.detail($0)?.stringValue }.joined(separator: " ")
  }
}
