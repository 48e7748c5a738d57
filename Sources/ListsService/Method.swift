internal import JSONRPC
internal import Records

/// One entry of the table of methods: what a client must know of it, and what carries it out.
struct Method: Sendable {
  struct Parameter: Sendable {
    let name: String
    let isRequired: Bool

    static func required(_ name: String) -> Parameter { Parameter(name: name, isRequired: true) }
    static func optional(_ name: String) -> Parameter { Parameter(name: name, isRequired: false) }
  }

  /// What a request has to wait for, so that the requests of a connection take effect in order.
  enum Kind: Sendable {
    /// Touches no store: waits for nothing but its turn.
    case local
    /// Waits for the connection's writes before it; may turn out to be long, then what follows waits for it.
    case read
    /// Goes to the writer at once; many may be on their way.
    case write
  }

  let name: String
  /// In the order of parameters by position.
  let parameters: [Parameter]
  /// Params are taken as they are, whatever they are.
  let takesAnyParameters: Bool
  let kind: Kind
  /// What it may fail with, besides a fault of the JSON-RPC envelope.
  let errors: Set<RecordError.Code>
  /// Reads the parameters and does what can be done at once. What it writes is the result's JSON; when it
  /// throws, or when the work goes on elsewhere, what it wrote is dropped.
  let begin: @Sendable (inout Invocation, inout JSONWriter) throws(RecordError) -> Progress

  /// `container` and `database` are added to the parameters of a method that concerns a store.
  init(
    _ name: String, _ kind: Kind, _ parameters: [Parameter], concernsStore: Bool = true,
    takesAnyParameters: Bool = false, errors: Set<RecordError.Code>,
    begin: @escaping @Sendable (inout Invocation, inout JSONWriter) throws(RecordError) -> Progress
  ) {
    self.name = name
    self.kind = kind
    self.parameters =
      parameters + (concernsStore ? [.optional("container"), .optional("database")] : [])
    self.takesAnyParameters = takesAnyParameters
    self.errors = errors
    self.begin = begin
  }
}

extension Set<RecordError.Code> {
  /// What any method may answer.
  static let always: Set<RecordError.Code> = [.permissionFailure, .serviceUnavailable]
  static let read: Set<RecordError.Code> = always.union([
    .invalidArguments, .limitExceeded, .zoneNotFound, .storeBusy, .storeDamaged, .storeTooNew, .storeMissing,
    .internalError,
  ])
  static let write: Set<RecordError.Code> = read.union([
    .quotaExceeded, .storageFull, .storageReadOnly,
  ])
}
