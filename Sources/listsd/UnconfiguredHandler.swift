import Files
import JSONRPC
import Records
import SocketServer

/// Answers the first message of a connection that the service can't serve, because there is an error in
/// its configuration, and ends it.
final class UnconfiguredHandler: ConnectionHandler {
  private let outbound: any Outbound

  init(outbound: any Outbound) {
    self.outbound = outbound
  }

  let hasPendingWork = false
  let acceptsInput = true

  func receive(_ event: MessageFramer.Event, descriptor: OwnedDescriptor?) {
    var id = RequestID.null
    if case .message(let message) = event, case .call(.request(let request)) = Incoming(message: message) {
      id = request.id ?? .null
    }
    outbound.send(Reply.error(id: id, Self.error))
    outbound.end(reason: "the configuration has an error")
  }

  func inputDidEnd() { outbound.end(reason: "the configuration has an error") }
  func outboundDidDrain() {}
  func close() {}

  private static let error: RPCError = {
    var data = JSONWriter()
    data.beginObject()
    data.key("errorCode")
    data.string(RecordError.Code.serviceUnavailable.rawValue)
    data.endObject()
    return RPCError(
      code: RecordError.Code.serviceUnavailable.number,
      message: "The service's configuration has an error; its log says in which line.", data: data.bytes)
  }()
}
