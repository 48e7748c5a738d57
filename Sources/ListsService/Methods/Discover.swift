internal import JSONRPC
internal import Records

extension Method {
  static let discover = Method(
    "rpc.discover", .local, [], concernsStore: false, errors: .always.union([.invalidArguments])
  ) { _, result throws(RecordError) in
    result.raw(ProtocolDocument.text)
    return .done
  }
}
