import JSONRPC
import ListsClient

/// Declares what a file in CloudKit's schema language defines.
@MainActor
struct SchemaDeclaration {
  private let schema: CloudKitSchema

  /// - Throws: `Failure.trouble` with line and column of what can't be read.
  init(_ path: String) throws(Failure) {
    let file = try InputFile(path)
    guard let text = String(validating: try file.readToEnd(), as: UTF8.self) else {
      throw .trouble("\(file.name) is not UTF-8")
    }
    do throws(SchemaFault) {
      schema = try SchemaParser.parse(text)
    } catch {
      throw .trouble(
        "\(file.name), line \(error.line), column \(error.column): \(DisplayText.harmless(error.message))")
    }
  }

  /// Declares all record types, or none when one is refused; with `isDryRun` only sees whether they could be.
  func run(_ session: Session, isDryRun: Bool) async throws(Failure) {
    let reply = try await session.call("fetchSchema", [])
    let existing = reply["recordTypes"].map { Array($0.elements) } ?? []
    var types: [TypeDeclarations.RecordType] = []
    for type in schema.recordTypes {
      let known = existing.first { $0["name"]?.isString(type.name) ?? false }
      // CloudKit may define a type without fields; here it is there with its first record.
      guard known != nil || !type.fields.isEmpty else {
        session.errors.say("'\(type.name)' has no fields, so there is nothing to declare")
        continue
      }
      types.append(.init(name: type.name, node: type.declaration(over: known)))
    }
    let declarations = TypeDeclarations(types: types)
    if isDryRun {
      try await declarations.check(session)
    } else {
      try await declarations.declare(session, prints: true)
    }
    try say(session, isDryRun: isDryRun)
  }

  private func say(_ session: Session, isDryRun: Bool) throws(Failure) {
    let fields = schema.recordTypes.reduce(0) { $0 + $1.fields.count }
    if !session.printsJSON {
      try session.output.write(
        "\(schema.recordTypes.count) record types with \(fields) fields \(isDryRun ? "could be " : "")declared\n"
      )
    }
    try session.output.flush()
    let grants = schema.recordTypes.reduce(schema.roles.count) { $0 + $1.grants }
    if grants > 0 {
      session.errors.say("\(grants) roles and grants mean nothing here")
    }
    let encrypted = schema.recordTypes.reduce(0) { $0 + $1.fields.count { $0.isEncrypted } }
    if encrypted > 0 {
      session.errors.say("\(encrypted) fields are ENCRYPTED in CloudKit, and kept as they are here")
    }
  }
}
