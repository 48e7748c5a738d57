public import ListsService
public import SocketServer

extension Session: ConnectionHandler {
  public func inputDidEnd() { finishInput() }
}
