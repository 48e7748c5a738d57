import JSONRPC

/// One record on a terminal: a line for each of its members and fields.
enum RecordCard {
  @MainActor
  static func print(_ record: JSON, _ session: Session) throws(Failure) {
    let output = session.output
    guard !session.printsJSON else { return try output.writeLine(record.bytes) }
    let name = DisplayText.cell(record["recordName"])
    let tag = DisplayText.cell(record["recordChangeTag"])
    let type = DisplayText.cell(record["recordType"])
    try output.write(output.bold("\(type) \(name)") + output.dim("  tag \(tag)") + "\n")
    let members = record["fields"].map { Array($0.members) } ?? []
    let widest = members.map { DisplayText.width(DisplayText.harmless($0.name)) }.max() ?? 0
    for member in members {
      let key = DisplayText.padded(DisplayText.harmless(member.name), to: widest)
      try output.write("  \(key)  \(DisplayText.cell(member.value))\n")
    }
  }
}
