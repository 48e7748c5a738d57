/// A failure that the service answers with: a code, a message for people, data for programs.
///
/// Every layer above the JSON-RPC envelope reports its failures as this value; the wire form
/// (`code`, `message`, `data.errorCode`, …) is made from it in one place.
public struct RecordError: Error, Sendable, Equatable {
  /// What went wrong. Named after CKError's cases where CloudKit has one; the raw value is the
  /// `data.errorCode` of the wire.
  public enum Code: String, Sendable, CaseIterable {
    /// The parameters can't be understood: unknown or missing parameter, wrong type, bad predicate.
    case invalidArguments
    /// No record (or subscription, or record type) of that name.
    case unknownItem
    /// The record changed, or exists, since the client's tag was given out.
    case serverRecordChanged
    /// Another item of the same atomic batch failed; this one was not applied.
    case batchRequestFailed
    /// More than the service accepts: bytes, items, depth, connections.
    case limitExceeded
    /// The change token is of another store, was pruned, or is from the future.
    case changeTokenExpired
    /// The caller's share of the storage is used up.
    case quotaExceeded
    /// The caller may not do this.
    case permissionFailure
    /// A reference names a record that is not there, or is still needed.
    case referenceViolation
    /// No zone of that name.
    case zoneNotFound
    /// The value's type differs from the one that the field has.
    case fieldTypeMismatch
    /// The service can't answer at present: it is stopping, or its store can't be opened.
    case serviceUnavailable
    /// Another program holds the store's lock.
    case storeBusy
    /// No room left on the disk.
    case storageFull
    /// The store can be read and not written.
    case storageReadOnly
    /// The store's file is damaged; it is kept as it is.
    case storeDamaged
    /// A value breaks a rule of its field: required, unique, a bound, a pattern.
    case constraintViolation
    /// An asset names a file that is not there.
    case assetFileNotFound
    /// The store was made by a newer version of the service.
    case storeTooNew
    /// The store's file was there and is gone.
    case storeMissing
    /// A fault of the service itself.
    case internalError
  }

  public var code: Code
  /// One sentence for a person, with what to do where that is known. Never holds SQL, a path or an
  /// engine's wording.
  public var message: String
  /// What a program needs to recover: members of the wire's `data` beside `errorCode`, each the JSON
  /// text of its value.
  public var details: [Detail]
  /// Seconds after which the same request may succeed; nil where a retry can't help.
  public var retryAfter: Double?

  /// One member of `data`: its name and the JSON text of its value.
  public struct Detail: Sendable, Equatable {
    public var name: String
    public var json: [UInt8]

    public init(name: String, json: [UInt8]) {
      self.name = name
      self.json = json
    }
  }

  public init(_ code: Code, _ message: String, details: [Detail] = [], retryAfter: Double? = nil) {
    self.code = code
    self.message = message
    self.details = details
    self.retryAfter = retryAfter
  }
}

extension RecordError.Code {
  /// The JSON-RPC error code: JSON-RPC's own where it has one, else one of the service's range
  /// (-32000 to -32099), never given a second meaning.
  public var number: Int {
    switch self {
    case .invalidArguments: -32602
    case .internalError: -32603
    case .unknownItem: -32001
    case .serverRecordChanged: -32002
    case .batchRequestFailed: -32003
    case .limitExceeded: -32004
    case .changeTokenExpired: -32005
    case .quotaExceeded: -32006
    case .permissionFailure: -32007
    case .referenceViolation: -32008
    case .zoneNotFound: -32009
    case .fieldTypeMismatch: -32010
    case .serviceUnavailable: -32011
    case .storeBusy: -32012
    case .storageFull: -32013
    case .storageReadOnly: -32014
    case .storeDamaged: -32015
    case .assetFileNotFound: -32016
    case .constraintViolation: -32017
    case .storeTooNew: -32018
    case .storeMissing: -32019
    }
  }
}
