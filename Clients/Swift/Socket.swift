import CLinux
import Glibc

/// Opens the client's end of the service's socket.
enum Socket {
  /// A connected descriptor whose other end is trusted.
  static func connect(to address: ServiceAddress) throws(ClientError) -> Int32 {
    let descriptor = clinux_unix_socket(0)
    guard descriptor >= 0 else {
      throw failure(address.path, errno)
    }
    var result = clinux_unix_connect(descriptor, address.path)
    while result != 0 && errno == EINTR {
      result = clinux_unix_connect(descriptor, address.path)
    }
    guard result == 0 else {
      let fault = errno
      close(descriptor)
      throw failure(address.path, fault)
    }
    do throws(ClientError) {
      try PeerTrust.check(descriptor, path: address.path)
    } catch {
      close(descriptor)
      throw error
    }
    return descriptor
  }

  private static func failure(_ path: String, _ fault: Int32) -> ClientError {
    let (reason, advice): (String, String) =
      switch fault {
      case ENOENT:
        ("there is no socket at \(path)", ServiceAddress.startAdvice)
      case ECONNREFUSED:
        ("nothing listens at \(path)", ServiceAddress.startAdvice)
      case EACCES, EPERM:
        ("you may not connect to \(path)", "Use your own service, or ask the owner of the socket")
      case ENAMETOOLONG:
        ("the path is longer than the 107 bytes that a socket's may have: \(path)", "Use a shorter one")
      case ENOTSOCK, EPROTOTYPE:
        ("\(path) is not a socket that a service listens at", ServiceAddress.startAdvice)
      default:
        ("can't connect to \(path): \(String(cString: strerror(fault)))", ServiceAddress.startAdvice)
      }
    return .unreachable(.init(path: path, reason: reason, advice: advice))
  }
}
