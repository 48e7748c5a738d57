import CLinux
import CSystemd
import Glibc

/// A Unix stream socket that takes connections.
public struct Listener: Sendable {
  public let descriptor: Int32
  /// For the log: the path, or the name that systemd gave it.
  public let name: String
}

/// Listening sockets that systemd holds and handed over (sd_listen_fds_with_names(3)).
public enum Activation {
  /// Why an activation can't be used.
  public struct Fault: Error, Sendable, CustomStringConvertible {
    public let description: String
  }

  /// The inherited listeners; none when the process was not activated. Call it once: the environment
  /// variables are taken away so that no child takes the sockets for its own.
  public static func listeners() throws(Fault) -> [Listener] {
    var names: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
    let count = sd_listen_fds_with_names(1, &names)
    guard count >= 0 else {
      throw Fault(description: "sd_listen_fds_with_names: \(String(cString: strerror(-count)))")
    }
    defer {
      for index in 0..<Int(count) { free(names?[index]) }
      free(names)
    }
    var listeners: [Listener] = []
    for index in 0..<count {
      let descriptor = SD_LISTEN_FDS_START + index
      let name = names?[Int(index)].map { String(cString: $0) } ?? "unknown"
      guard clinux_is_unix_listener(descriptor) == 1 else {
        throw Fault(
          description:
            "the inherited socket '\(name)' is not a listening Unix stream socket: the socket unit "
            + "needs ListenStream= with a path, and Accept=no")
      }
      guard clinux_set_nonblocking(descriptor, 1) == 0 else {
        throw Fault(description: "the inherited socket '\(name)': \(SystemError("fcntl"))")
      }
      listeners.append(Listener(descriptor: descriptor, name: name))
    }
    return listeners
  }
}
