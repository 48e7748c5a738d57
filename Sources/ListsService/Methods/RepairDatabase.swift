internal import JSONRPC
internal import RecordStore
internal import Records

extension Method {
  static let repairDatabase = Method(
    "repairDatabase", .read, [.optional("dryRun"), .optional("force")],
    errors: .write.subtracting([.zoneNotFound, .quotaExceeded])
  ) { invocation, _ throws(RecordError) in
    let id = try invocation.storeID(for: .write)
    if let refusal = invocation.service.access.refusal(ofBackupOf: id, by: invocation.caller) {
      throw refusal
    }
    let isDryRun = try invocation.arguments.bool("dryRun", default: false)
    let isForced = try invocation.arguments.bool("force", default: false)
    let directory = invocation.service.databases.directory
    return .work({ () throws(RecordError) in
      try directory.repair(id, isForced: isForced, isDryRun: isDryRun)
    }) { repair, result throws(RecordError) in
      result.repair(repair)
      return .done
    }
  }
}

extension JSONWriter {
  fileprivate mutating func repair(_ repair: StoreDirectory.Repair) {
    beginObject()
    key("isRepaired")
    bool(repair.report?.store != nil)
    key("numberOfProblems")
    int(repair.found.problemCount)
    if let report = repair.report { outcome(report) }
    endObject()
  }

  private mutating func outcome(_ report: RepairReport) {
    key("numberOfRecords")
    int(report[.records].kept)
    key("lost")
    strings(report.lost)
    key("numberOfLost")
    int(report[.records].lost ?? 0)
    key("parts")
    beginArray()
    for (part, remainder) in report.inOrder {
      beginObject()
      key("part")
      string(part.rawValue)
      key("kept")
      int(remainder.kept)
      key("isWhole")
      bool(remainder.isWhole)
      endObject()
    }
    endArray()
    key("notes")
    strings(report.notes)
    key("remaining")
    self.report(report.remaining)
    guard let store = report.store else { return }
    if let name = store.keptAs {
      key("keptFile")
      string(name)
    }
    key("changeToken")
    string(store.changeToken.text)
  }
}
