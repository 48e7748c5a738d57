import JSONRPC

extension RecordError.Detail {
  public init(name: String, text: String) {
    var writer = JSONWriter()
    writer.string(text)
    self.init(name: name, json: writer.bytes)
  }

  public init(name: String, number: Int) {
    self.init(name: name, json: Array("\(number)".utf8))
  }
}
