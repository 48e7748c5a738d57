/// Makes messages: each one a JSON text without white space, so on one line, unframed.
public enum Reply {
  /// `result` is the JSON text of a value.
  public static func result(id: RequestID, result: some Collection<UInt8>) -> [UInt8] {
    var writer = beginning(reservingCapacity: result.count)
    writer.plainKey("id")
    id.write(to: &writer)
    writer.plainKey("result")
    writer.raw(result)
    writer.endObject()
    return writer.bytes
  }

  public static func error(id: RequestID, _ error: RPCError) -> [UInt8] {
    var writer = beginning(reservingCapacity: error.message.utf8.count + (error.data?.count ?? 0))
    writer.plainKey("id")
    id.write(to: &writer)
    writer.plainKey("error")
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
    var writer = beginning(reservingCapacity: params.count)
    writer.plainKey("method")
    writer.string(method)
    writer.plainKey("params")
    writer.raw(params)
    writer.endObject()
    return writer.bytes
  }

  /// A client's call; `params` is the JSON text of an object or an array, nil to leave it out.
  public static func request(id: RequestID, method: String, params: [UInt8]?) -> [UInt8] {
    var writer = beginning(reservingCapacity: params?.count ?? 0)
    writer.plainKey("id")
    id.write(to: &writer)
    writer.plainKey("method")
    writer.string(method)
    if let params {
      writer.plainKey("params")
      writer.raw(params)
    }
    writer.endObject()
    return writer.bytes
  }

  private static func beginning(reservingCapacity capacity: Int) -> JSONWriter {
    var writer = JSONWriter(reservingCapacity: capacity + 96)
    writer.beginObject()
    writer.plainKey("jsonrpc")
    writer.string("2.0")
    return writer
  }
}
