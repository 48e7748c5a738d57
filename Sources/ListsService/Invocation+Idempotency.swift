internal import Files
internal import JSONRPC
internal import RecordStore
internal import Records

extension Method.Parameter {
  /// Of a method whose requests may be sent again without being done again.
  static let idempotencyKey = optional("idempotencyKey")
}

extension Invocation {
  /// Has the operations carried out, once for all requests under the same `idempotencyKey` where there is one.
  ///
  /// `answer` writes the result, also the one that is kept: maybe on the store's thread.
  func write(
    _ operations: [WriteOperation], isAtomic: Bool = true, to database: Database,
    answer: @escaping @Sendable (WriteResult, inout JSONWriter) throws(RecordError) -> Void
  ) throws(RecordError) -> Progress {
    var write = WriteRequest(caller: caller, operations: operations, isAtomic: isAtomic)
    if let text = try arguments.idempotencyKey() {
      write.idempotencyKey = IdempotencyKey(text: text, digest: arguments.digest()) { written in
        var result = JSONWriter()
        do throws(RecordError) { try answer(written, &result) } catch { return nil }
        return result.bytes
      }
    }
    return .write(database, write, finish: answer)
  }
}

extension Arguments {
  private static let maximumKeyBytes = 255

  fileprivate func idempotencyKey() throws(RecordError) -> String? {
    guard let key = try string("idempotencyKey") else { return nil }
    guard (1...Self.maximumKeyBytes).contains(key.utf8.count) else {
      throw .parameter("idempotencyKey", mustBe: "a string of 1 to \(Self.maximumKeyBytes) bytes")
    }
    return key
  }

  /// SHA-256 of what the request asks for: the same for all ways to write it. Where it is kept is not in it, since
  /// a key is kept there as well.
  fileprivate func digest() -> [UInt8] {
    var canonical = JSONWriter()
    canonical.beginArray()
    canonical.string(methodName)
    for (name, value) in given where !["idempotencyKey", "container", "database"].contains(name) {
      canonical.string(name)
      canonical.canonical(value)
    }
    canonical.endArray()
    return SHA256.digest(of: canonical.bytes)
  }
}

extension JSONWriter {
  /// The value without what says nothing: white space, the order of members, how characters are escaped.
  fileprivate mutating func canonical(_ value: JSON) {
    switch value.kind {
    case .object:
      beginObject()
      let members = value.members.map { ($0.name, $0.value) }
      for (name, value) in members.sorted(by: { $0.0.utf8.lexicographicallyPrecedes($1.0.utf8) }) {
        key(name)
        canonical(value)
      }
      endObject()
    case .array:
      beginArray()
      for element in value.elements { canonical(element) }
      endArray()
    case .string: string(value.stringValue ?? "")
    case .null, .boolean, .number: raw(value)
    }
  }
}
