import JSONRPC
import ListsClient

/// Declares several record types. All are tried before the first one is declared, so that what is refused leaves
/// everything as it was.
@MainActor
struct TypeDeclarations {
  struct RecordType {
    let name: String
    /// The parameter of `saveRecordType`.
    let node: JSONNode
  }

  let types: [RecordType]

  /// - Throws: what is refused, of all types.
  func check(_ session: Session) async throws(Failure) {
    var faults: [String] = []
    var first: ClientError.ServiceError?
    for type in types {
      do throws(Failure) {
        let reply = try await session.call("saveRecordType", [("recordType", type.node), ("dryRun", true)])
        let broken = FieldChangesCard.violations(reply["report"]?["violations"])
        if !broken.isEmpty { faults.append("\(Self.shown(type)): records break its rules") }
        faults += broken
      } catch {
        guard let rejection = error.rejection else { throw error }
        first = first ?? rejection
        faults.append("\(Self.shown(type)): \(rejection.message)")
      }
    }
    guard !faults.isEmpty else { return }
    let text = (faults + ["So nothing was declared."]).joined(separator: "\n")
    throw first.map { .explained($0, text) } ?? .trouble(text)
  }

  /// Declares them one after the other, and prints them where JSON is asked for.
  func declare(_ session: Session, prints: Bool) async throws(Failure) {
    try await check(session)
    for (place, type) in types.enumerated() {
      do throws(Failure) {
        let reply = try await session.call("saveRecordType", [("recordType", type.node)])
        if prints, session.printsJSON, let saved = reply["recordType"] {
          try session.output.writeLine(saved.bytes)
        }
      } catch {
        guard let rejection = error.rejection else { throw error }
        // Somebody else changed something in between.
        let done = types[..<place].map(Self.shown).joined(separator: ", ")
        throw .explained(
          rejection,
          "\(Self.shown(type)): \(rejection.message)\nDeclared before: \(done.isEmpty ? "nothing" : done). "
            + "The same can be declared again.")
      }
    }
  }

  private static func shown(_ type: RecordType) -> String { DisplayText.harmless(type.name) }
}
