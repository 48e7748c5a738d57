internal import JSONRPC
internal import RecordStore
internal import Records

extension Method {
  static let checkDatabase = Method(
    "checkDatabase", .read, [.optional("assets")], errors: .read.union([.storageFull, .storageReadOnly])
  ) { invocation, _ throws(RecordError) in
    let id = try invocation.storeID(for: .read)
    let readsAssets = try invocation.arguments.bool("assets", default: false)
    let directory = invocation.service.databases.directory
    return .work({ () throws(RecordError) in try directory.check(id, readsAssets: readsAssets) }) {
      report, result throws(RecordError) in
      result.report(report)
      return .done
    }
  }
}

extension JSONWriter {
  /// What looking a database through found.
  mutating func report(_ report: StoreReport) {
    beginObject()
    key("isSound")
    bool(report.problemCount == 0)
    key("problems")
    beginArray()
    for problem in report.problems {
      beginObject()
      key("kind")
      string(problem.kind.rawValue)
      key("message")
      string(problem.message)
      if let recordName = problem.recordName {
        key("recordName")
        string(recordName)
      }
      if let zoneName = problem.zoneName {
        key("zoneName")
        string(zoneName)
      }
      endObject()
    }
    endArray()
    key("numberOfProblems")
    int(report.problemCount)
    key("checked")
    beginObject()
    key("records")
    int(report.records)
    key("changes")
    int(report.changes)
    key("assets")
    int(report.assets)
    endObject()
    endObject()
  }
}
