import JSONRPC
import Records

extension SortDescriptor {
  /// - Throws: `RecordError` when `key` is no key path.
  init(key: String, ascending: Bool, collation: Collation) throws(RecordError) {
    let descriptor: JSONNode = [
      "key": .string(key), "ascending": .bool(ascending), "collation": .string(collation.rawValue),
    ]
    try self.init(json: descriptor.json)
  }

  /// The descriptor as the protocol has it.
  var json: JSON {
    var writer = JSONWriter()
    write(to: &writer)
    return JSON(unchecked: writer.bytes)
  }
}
