import ArgumentParsing
import JSONRPC
import ListsClient

enum Save: Verb {
  static let command = Command(
    "save", "Save a record",
    discussion: [
      "Makes a record of the given type, or changes the one that --name names. With '-' instead of a type, "
        + "records are read as JSON from standard input, one after another, in the form in which they are "
        + "printed.",
      "Without --policy a record that exists is only changed when --tag is its current tag; its other "
        + "fields are then removed. '--policy changedKeys' keeps them and looks at no tag.",
    ],
    options: [
      Option("name", letter: "n", takes: "NAME", "The record's name (default: a new UUID)"),
      Option("tag", letter: "t", takes: "TAG", "Save only if the record still has this tag"),
      Option("zone", letter: "z", takes: "NAME", "The zone (default: _defaultZone)"),
      Option(
        "policy", letter: "p", takes: "POLICY",
        completion: .choices(["ifServerRecordUnchanged", "changedKeys", "allKeys"]),
        "ifServerRecordUnchanged (the default), changedKeys to merge, allKeys to replace"),
      .idempotencyKey,
    ],
    operands: [
      Operand("TYPE", "The record type, or - to read records from standard input"),
      Operand(
        "ASSIGNMENT",
        "key=value for text, key=@FILE for a file as an asset (@- for standard input), key:=json for any JSON "
          + "value, key:=null to remove a field",
        count: .any),
    ],
    examples: [
      .init("listsrpc save Lists photo=@picture.jpg", "A record with a picture"),
      .init("listsrpc save Item name=Milk quantity:=2 tags:='[\"food\"]'", "A new record"),
      .init(
        "listsrpc save Item --name milk --policy changedKeys quantity:='{\"$increment\":1}'",
        "One more of it, however many save at once"),
      .init("listsrpc fetch milk | jq -c '.fields.done=true' | listsrpc save -", "Fetch, change, save"),
    ])

  static func run(_ arguments: Arguments, _ session: Session) async throws(Failure) {
    let words = arguments.operands.dropFirst()
    if arguments.operands[0] == "-" {
      guard words.isEmpty, arguments.value("name") == nil, arguments.value("tag") == nil else {
        throw Failure(
          usage: "with '-' type, name, tag and fields are those of the records read", verb: "save")
      }
      guard arguments.value("idempotency-key") == nil else {
        throw Failure(usage: "--idempotency-key goes with one record only", verb: "save")
      }
      return try await saveRead(arguments, session)
    }
    var fields: [(String, JSONNode)] = []
    for assignment in try assignments(Array(words)) {
      var value = assignment.value
      if let path = assignment.path { value = try await session.saveAsset(path).fieldValue }
      fields.append((assignment.key, value))
    }
    var record: [(String, JSONNode)] = [("recordType", .string(arguments.operands[0]))]
    if let name = arguments.value("name") { record.append(("recordName", .string(name))) }
    if let zone = arguments.value("zone") { record.append(("zoneName", .string(zone))) }
    if let tag = arguments.value("tag") { record.append(("recordChangeTag", .string(tag))) }
    record.append(("fields", .object(fields)))
    try await save(.object(record), arguments, session)
  }

  private static func assignments(_ words: [String]) throws(Failure) -> [Assignment] {
    var assignments: [Assignment] = []
    for word in words {
      do throws(UsageError) {
        let assignment = try Assignment(parsing: word)
        if assignments.contains(where: { $0.key == assignment.key }) {
          throw UsageError("the key '\(assignment.key)' is given twice")
        }
        assignments.append(assignment)
      } catch {
        throw .usage(error, verb: command.name)
      }
    }
    return assignments
  }

  private static func saveRead(_ arguments: Arguments, _ session: Session) async throws(Failure) {
    let rows = try JSONRows(InputFile("-"), path: nil)
    while let row = try rows.next() {
      switch row {
      case .value(let record, _): try await save(.json(record), arguments, session)
      case .fault(let reason, let place): throw .trouble("\(place): \(reason)")
      }
      try session.output.flush()
    }
  }

  private static func save(
    _ record: JSONNode, _ arguments: Arguments, _ session: Session
  ) async throws(Failure) {
    var params: [(String, JSONNode)] = [("record", record)]
    if let policy = arguments.value("policy") { params.append(("savePolicy", .string(policy))) }
    if let key = arguments.value("idempotency-key") { params.append(("idempotencyKey", .string(key))) }
    do throws(Failure) {
      let reply = try await session.call("saveRecord", params)
      guard let saved = reply["record"] else {
        throw .client(.malformedReply("saveRecord gave no record"))
      }
      try RecordCard.print(saved, session)
    } catch {
      throw error.explainingConflict().explainingText()
    }
  }
}

extension Option {
  /// Of verbs that make one write.
  static let idempotencyKey = Option(
    "idempotency-key", takes: "KEY",
    "Sent again with the same key, it is answered again and not done again")
}
