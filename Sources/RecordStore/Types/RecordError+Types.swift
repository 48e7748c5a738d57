internal import JSONRPC
internal import Records

/// Why a type can't be made what it should be.
extension RecordError {
  static func unknownType(_ name: String) -> RecordError {
    RecordError(.unknownItem, "there is no record type '\(name)'")
  }

  /// Values would be lost.
  static func lossy(_ report: RecordTypeReport) -> RecordError {
    let loss = report.losses[0]
    var writer = JSONWriter()
    report.writeLosses(to: &writer)
    return RecordError(
      .constraintViolation,
      "\(report.losses.reduce(0) { $0 + $1.count }) values would be lost, as in the field '\(loss.field)' "
        + "of '\(loss.examples[0].recordName)'; 'acceptLoss' allows it",
      details: [.init(name: "field", text: loss.field), .init(name: "lost", json: writer.bytes)])
  }

  /// Records break the rules that are declared.
  static func broken(_ report: RecordTypeReport) -> RecordError {
    let breach = report.breaches[0]
    var writer = JSONWriter()
    report.writeBreaches(to: &writer)
    return RecordError(
      .constraintViolation,
      "\(breach.count) records break the rule '\(breach.rule.rawValue)' of the field '\(breach.field)', "
        + "as '\(breach.examples[0].recordName)' does",
      details: [
        .init(name: "field", text: breach.field), .init(name: "rule", text: breach.rule.rawValue),
        .init(name: "violations", json: writer.bytes),
      ])
  }
}
