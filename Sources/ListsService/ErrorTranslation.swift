internal import JSONRPC
internal import Records

/// The one place where a failure gets its form on the wire.
extension RPCError {
  init(_ error: RecordError) {
    var data = JSONWriter()
    data.beginObject()
    data.key("errorCode")
    data.string(error.code.rawValue)
    for detail in error.details {
      data.key(detail.name)
      data.raw(detail.json)
    }
    if let retryAfter = error.retryAfter {
      data.key("retryAfter")
      data.double(retryAfter)
    }
    data.endObject()
    self.init(code: error.code.number, message: error.message, data: data.bytes)
  }

  /// -32601 with the names of the methods that there are.
  static func methodNotFound(_ name: String, known: [String]) -> RPCError {
    var error = RPCError.methodNotFound(name)
    var data = JSONWriter()
    data.beginObject()
    data.key("errorCode")
    data.string("methodNotFound")
    data.key("known")
    data.strings(known)
    data.endObject()
    error.data = data.bytes
    return error
  }
}

extension JSONWriter {
  mutating func strings(_ values: some Sequence<String>) {
    beginArray()
    for value in values { string(value) }
    endArray()
  }
}

extension RecordError.Detail {
  init(_ name: String, _ value: String) {
    var json = JSONWriter()
    json.string(value)
    self.init(name: name, json: json.bytes)
  }

  init(_ name: String, _ value: Int) {
    var json = JSONWriter()
    json.int(value)
    self.init(name: name, json: json.bytes)
  }

  init(_ name: String, _ values: [String]) {
    var json = JSONWriter()
    json.strings(values)
    self.init(name: name, json: json.bytes)
  }
}

extension RecordError {
  /// A parameter of the wrong form. `expectation` completes "parameter 'x' must be …".
  static func parameter(_ name: String, mustBe expectation: String) -> RecordError {
    RecordError(
      .invalidArguments, "parameter '\(name)' must be \(expectation)",
      details: [Detail("parameter", name)])
  }

  /// More than a limit allows: `what` as in "a batch may hold 1000 calls at most".
  static func limit(_ name: String, _ limit: Int, actual: Int?, _ what: String) -> RecordError {
    var details = [Detail("limitName", name), Detail("limit", limit)]
    if let actual { details.append(Detail("actual", actual)) }
    return RecordError(.limitExceeded, what, details: details)
  }
}

extension RecordError.Code {
  /// How much whoever runs the service needs to know of it; nil for what concerns the client alone.
  var logPriority: LogEntry.Priority? {
    switch self {
    case .internalError, .storeDamaged, .storeTooNew, .storeMissing: .error
    case .storageFull, .storageReadOnly, .storeBusy, .serviceUnavailable: .warning
    case .permissionFailure, .quotaExceeded: .notice
    case .invalidArguments, .unknownItem, .serverRecordChanged, .batchRequestFailed, .limitExceeded,
      .changeTokenExpired, .referenceViolation, .zoneNotFound, .fieldTypeMismatch, .constraintViolation,
      .assetFileNotFound:
      nil
    }
  }
}

extension JSONWriter {
  /// The result of one item that failed by itself: `{"error":{…}}`.
  mutating func failedItem(_ error: RecordError) {
    beginObject()
    key("error")
    RPCError(error).write(to: &self)
    endObject()
  }
}
