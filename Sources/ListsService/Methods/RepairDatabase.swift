internal import JSONRPC
internal import RecordStore
internal import Records

extension Method {
  static let repairDatabase = Method(
    "repairDatabase", .read, [.optional("dryRun"), .optional("force")],
    errors: .write.subtracting([.zoneNotFound, .quotaExceeded])
  ) { invocation, _ throws(RecordError) in
    let id = try invocation.storeID(for: .write)
    let service = invocation.service
    if let refusal = service.access.refusal(ofBackupOf: id, by: invocation.caller) { throw refusal }
    let isDryRun = try invocation.arguments.bool("dryRun", default: false)
    let isForced = try invocation.arguments.bool("force", default: false)
    let directory = service.databases.directory
    return .work({ () throws(RecordError) -> (problems: Int, RepairedStore?) in
      let report = try directory.check(id)
      guard isForced || report.isOfDamage else { return (report.problemCount, nil) }
      return (report.problemCount, try directory.repair(id, isDryRun: isDryRun))
    }) { repair, result throws(RecordError) in
      result.repair(problems: repair.problems, repair.1)
      return .done
    }
  }
}

extension StoreReport {
  /// Whether there is something that a new file would not have. A file of an asset that is missing it would miss, too.
  fileprivate var isOfDamage: Bool {
    problemCount > problems.count || problems.contains { $0.kind != .asset || $0.recordName != nil }
  }
}

extension JSONWriter {
  fileprivate mutating func repair(problems: Int, _ repaired: RepairedStore?) {
    beginObject()
    key("isRepaired")
    bool(repaired?.changeToken != nil)
    key("numberOfProblems")
    int(problems)
    if let outcome = repaired?.outcome {
      key("numberOfRecords")
      int(outcome.records)
      key("lost")
      beginArray()
      for name in outcome.lost { string(name) }
      endArray()
      key("numberOfLost")
      int(outcome.lostCount)
    }
    if let file = repaired?.keptFile {
      key("keptFile")
      string(file)
    }
    if let token = repaired?.changeToken {
      key("changeToken")
      string(token.text)
    }
    endObject()
  }
}
