/// Makes messages: each one a JSON text without white space, so on one line, unframed.
public enum Reply {
  /// `result` is the JSON text of a value.
  public static func result(id: RequestID, result: some Collection<UInt8>) -> [UInt8] {
    var writer = beginning(#","id":"#, reservingCapacity: result.count)
    id.write(to: &writer)
    writer.verbatim(#","result":"#)
    writer.raw(result)
    writer.endObject()
    return writer.bytes
  }

  public static func error(id: RequestID, _ error: RPCError) -> [UInt8] {
    let size = error.message.utf8.count + (error.data?.count ?? 0)
    var writer = beginning(#","id":"#, reservingCapacity: size)
    id.write(to: &writer)
    writer.verbatim(#","error":"#)
    error.write(to: &writer)
    writer.endObject()
    return writer.bytes
  }

  /// The replies of a batch in one array, in the order given; nil when there are none, because then nothing
  /// at all is sent.
  public static func batch(_ replies: [[UInt8]]) -> [UInt8]? {
    if replies.isEmpty { return nil }
    var writer = JSONWriter(reservingCapacity: replies.reduce(2) { $0 + $1.count + 1 })
    writer.beginArray()
    for reply in replies { writer.raw(reply) }
    writer.endArray()
    return writer.bytes
  }

  /// `params` is the JSON text of an object or an array.
  public static func notification(method: String, params: some Collection<UInt8>) -> [UInt8] {
    var writer = beginning(#","method":"#, reservingCapacity: params.count)
    writer.string(method)
    writer.verbatim(#","params":"#)
    writer.raw(params)
    writer.endObject()
    return writer.bytes
  }

  /// A client's call; `params` is the JSON text of an object or an array, nil to leave it out.
  public static func request(id: RequestID, method: String, params: [UInt8]?) -> [UInt8] {
    var writer = beginning(#","id":"#, reservingCapacity: params?.count ?? 0)
    id.write(to: &writer)
    writer.verbatim(#","method":"#)
    writer.string(method)
    if let params {
      writer.verbatim(#","params":"#)
      writer.raw(params)
    }
    writer.endObject()
    return writer.bytes
  }

  /// The envelope up to the value of its second member, whose name is `key` with its comma and colon.
  private static func beginning(
    _ key: StaticString, reservingCapacity capacity: Int
  ) -> JSONWriter {
    var writer = JSONWriter(reservingCapacity: capacity + 96)
    writer.verbatim(#"{"jsonrpc":"2.0""#)
    writer.verbatim(key)
    return writer
  }
}
