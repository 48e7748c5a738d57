import JSONRPC

/// On a terminal: what changes of fields did, or would do.
enum FieldChangesCard {
  @MainActor
  static func print(_ report: JSON, isDryRun: Bool, _ session: Session) throws(Failure) {
    guard !session.printsJSON else { return try session.output.writeLine(report.bytes) }
    let would = isDryRun ? "would be " : ""
    let records = report["records"]?.int64Value ?? 0
    var lines = ["\(records) \(records == 1 ? "record" : "records") \(would)changed"]
    lines += losses(report["lost"], would) + violations(report["violations"], isDryRun)
    for keys in elements(report["indexesDropped"]) {
      lines.append(
        "\(would)dropped: the index \(elements(keys).map { DisplayText.cell($0) }.joined(separator: ", "))")
    }
    for rule in elements(report["rulesDropped"]) {
      lines.append(
        "\(would)dropped: the rule '\(DisplayText.cell(rule["rule"]))' of \(DisplayText.cell(rule["field"]))")
    }
    try session.output.write(lines.joined(separator: "\n") + "\n")
  }

  /// A line for each field that loses values, and for examples of them.
  static func losses(_ lost: JSON?, _ would: String) -> [String] {
    elements(lost).flatMap { loss in
      let count = loss["count"]?.int64Value ?? 0
      let what =
        "\(would)lost: \(count) \(count == 1 ? "value" : "values") of \(DisplayText.cell(loss["field"]))"
      return [what] + examples(loss)
    }
  }

  /// The same for the rules that records break.
  static func violations(_ violations: JSON?, _ isDryRun: Bool = true) -> [String] {
    elements(violations).flatMap { violation in
      let count = violation["count"]?.int64Value ?? 0
      let rule =
        "the rule '\(DisplayText.cell(violation["rule"]))' of \(DisplayText.cell(violation["field"]))"
      return ["\(rule) is broken by \(count) \(count == 1 ? "record" : "records")"] + examples(violation)
    }
  }

  private static func examples(_ entry: JSON) -> [String] {
    elements(entry["examples"]).map { example in
      let value = example["value"].map { ": \(DisplayText.harmless($0.text))" } ?? ""
      return "  \(DisplayText.cell(example["recordName"]))\(value)"
    }
  }

  private static func elements(_ list: JSON?) -> [JSON] { list.map { Array($0.elements) } ?? [] }
}
