import ArgumentParsing
import Glibc
import ListsService
import SocketServer

/// What the command line asks for.
struct Options: Sendable {
  let isSystem: Bool
  let isEphemeral: Bool
  let socket: String?
  let configurationFile: String?
  /// Seconds; nil leaves it to the configuration.
  let idleTimeout: Int?
  /// Nil leaves it to the configuration.
  let logLevel: Journal.Priority?
  let location: ServiceConfiguration.Location
  let places: Places

  /// - Throws: `UsageError`, or `Places.Fault` when there is no place for the records.
  init(_ arguments: Arguments) throws {
    isSystem = arguments.has("system")
    isEphemeral = arguments.has("ephemeral")
    socket = arguments.value("socket")
    configurationFile = arguments.value("configuration")
    idleTimeout = try arguments.integer("idle-timeout", in: 0...1_000_000_000)
    logLevel = arguments.value("log-level").flatMap { Journal.Priority(name: $0) }
    places = Places(isSystem: isSystem)
    if isEphemeral {
      guard !arguments.has("state-directory") else {
        throw UsageError("--ephemeral keeps everything in memory: it takes no --state-directory")
      }
      location = .memory
    } else {
      location = .directory(Self.absolute(try arguments.value("state-directory") ?? places.stateDirectory()))
    }
  }

  var access: AccessPolicy { isSystem ? .everyone : .owner(userID: getuid()) }

  /// Who may connect to a socket that the process makes itself.
  var socketMode: UInt32 { isSystem ? 0o666 : 0o600 }

  /// Reads the configuration file. One that was named must be there.
  func readSettings() throws(ConfigurationFile.Fault) -> Settings {
    if isEphemeral && configurationFile == nil { return Settings() }
    guard let path = configurationFile ?? places.configurationFile else { return Settings() }
    return try ConfigurationFile.read(path, mustExist: configurationFile != nil)
  }

  private static func absolute(_ path: String) -> String {
    if path.hasPrefix("/") { return path }
    guard let folder = getcwd(nil, 0) else { return path }
    defer { free(folder) }
    return String(cString: folder) + "/" + path
  }
}
