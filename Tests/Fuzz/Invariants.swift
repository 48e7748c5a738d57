/// What must hold for any bytes. A breach traps, which both the fuzzer and the address sanitizer report.
enum Invariants {
  static func check(_ bytes: [UInt8]) {
    let json = try? JSON(parsing: bytes)
    if let json { checkRoundTrip(json) }
    walk(JSON(unchecked: bytes))
    _ = Incoming(message: bytes)
    _ = ServerMessage(message: bytes)
    checkFraming(bytes, isOneMessage: json.map { $0.kind == .object || $0.kind == .array } ?? false)
  }

  /// What is accepted comes back unchanged, and is valid UTF-8.
  private static func checkRoundTrip(_ json: JSON) {
    require(String(validating: json.bytes, as: UTF8.self) != nil, "accepted text is not UTF-8")
    let node = JSONNode(json)
    guard let again = try? JSON(parsing: node.encoded()) else {
      fatalError("written text is refused")
    }
    require(JSONNode(again) == node, "the tree changes when written and read")
    for member in json.members {
      require(json[member.name] != nil && member.isNamed(member.name), "a member isn't found")
    }
  }

  /// Reads everything there is, two levels deep. The bytes may be anything.
  private static func walk(_ json: JSON) {
    _ = (json.kind, json.boolValue, json.int64Value, json.doubleValue, json.stringValue, json.text)
    _ = (json["a"], RequestID(json))
    for value in Array(json.elements) + json.members.map(\.value) {
      _ = (value.stringValue, value.int64Value, value.doubleValue, value["a"])
      _ = (value.elements.count, value.members.map(\.name))
    }
  }

  /// What comes out of the framer doesn't depend on how the bytes came in, and a text that is one message
  /// is found whole.
  private static func checkFraming(_ bytes: [UInt8], isOneMessage: Bool) {
    let whole = events(of: [bytes])
    let cut = bytes.isEmpty ? 0 : Int(bytes[bytes.count / 2]) % bytes.count
    require(
      events(of: [Array(bytes[..<cut]), Array(bytes[cut...])]) == whole, "a cut changes the messages")
    if bytes.count <= 512 {
      require(events(of: bytes.map { [$0] }) == whole, "single bytes change the messages")
    }
    if isOneMessage, bytes.count <= maximumMessageBytes {
      guard case .message(let message)? = whole.first, whole.count == 1 else {
        fatalError("a message isn't found")
      }
      require((try? JSON(parsing: message)) != nil, "a message isn't found whole")
    }
  }

  private static let maximumMessageBytes = 256

  private static func events(of pieces: [[UInt8]]) -> [MessageFramer.Event] {
    var framer = MessageFramer(maximumMessageBytes: maximumMessageBytes, maximumDiscardedBytes: 512)
    var events: [MessageFramer.Event] = []
    for piece in pieces {
      framer.append(piece)
      while let event = framer.next() { events.append(event) }
      require(framer.bufferedBytes <= MessageFramer.maximumHeaderBytes, "too much is buffered")
    }
    if let event = framer.finish() { events.append(event) }
    return events
  }

  /// Like `precondition`, but optimized code says what was wrong too.
  private static func require(_ condition: Bool, _ message: String) {
    if !condition { fatalError(message) }
  }
}
