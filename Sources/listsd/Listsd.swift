import ArgumentParsing
import Glibc
import SocketServer

@main
enum Listsd {
  static func main() {
    // Before any thread is made, so that none of them takes a signal.
    SignalSource.block([SIGTERM, SIGINT, SIGHUP])
    signal(SIGPIPE, SIG_IGN)
    // A file that would grow beyond what the process may write is a failed write, and no end.
    signal(SIGXFSZ, SIG_IGN)
    exit(run(Array(CommandLine.arguments.dropFirst())))
  }

  /// What the process ends with (sysexits.h where it has a number for it).
  private enum Status {
    static let ended: Int32 = 0
    static let failed: Int32 = 1
    static let usage: Int32 = 2
    static let configuration: Int32 = 78
  }

  private static func run(_ words: [String]) -> Int32 {
    do {
      switch try CommandTable.listsd.parse(words) {
      case .help(let text): return print(text)
      case .version: return print("listsd (Lists) \(CommandTable.version)\n")
      case .run(let arguments):
        if let text = arguments.value("print").flatMap(PrintedText.init(rawValue:)) {
          return print(text.text)
        }
        return try serve(Options(arguments))
      }
    } catch let error as UsageError {
      complain("\(error)\nTry 'listsd --help'.")
      return Status.usage
    } catch let error as ConfigurationFile.Fault {
      complain("\(error)")
      return Status.configuration
    } catch {
      complain("\(error)")
      return Status.failed
    }
  }

  private static func serve(_ options: Options) throws -> Int32 {
    let journal = Journal(identifier: "listsd", level: options.logLevel ?? .info)
    let inherited = options.isEphemeral ? [] : try Activation.listeners()
    let (settings, fault) = try readSettings(options, mayFail: !inherited.isEmpty, journal)
    journal.level = options.logLevel ?? settings.logLevel
    raiseDescriptorLimit()

    let folder = options.isEphemeral && options.socket == nil ? try EphemeralFolder() : nil
    defer { folder?.remove() }
    let owned =
      try inherited.isEmpty
      ? OwnedSocket(
        at: folder?.socketPath ?? options.socket ?? options.places.socket(), mode: options.socketMode)
      : nil

    let loop = try EventLoop()
    let server = Daemon.Server(loop: loop, limits: settings.connectionLimits, journal: journal)
    let listeners = owned.map { [$0.listener] } ?? inherited
    server.assumeIsolated { isolated in
      let daemon = Daemon(
        server: server, options: options, settings: settings, settingsFault: fault, ownedSocket: owned,
        journal: journal, notifier: Notifier())
      isolated.start(daemon, on: listeners)
      daemon.start()
    }
    try watchSignals(on: server)
    if options.isEphemeral, let owned {
      try EphemeralFolder.watchStandardInput(on: loop) {
        server.perform { $0.stop(because: "standard input was closed") }
      }
      _ = print(owned.path + "\n")
    }
    loop.run()
    server.assumeIsolated { $0.application?.close() }
    return Status.ended
  }

  /// A service that systemd started for a client must answer that client, whatever is wrong.
  private static func readSettings(
    _ options: Options, mayFail: Bool, _ journal: Journal
  ) throws(ConfigurationFile.Fault) -> (Settings, ConfigurationFile.Fault?) {
    do throws(ConfigurationFile.Fault) {
      return (try options.readSettings(), nil)
    } catch {
      guard mayFail else { throw error }
      journal.write(.error, "not serving: \(error)")
      return (Settings(), error)
    }
  }

  private static func watchSignals(on server: Daemon.Server) throws(SystemError) {
    try SignalSource.watch([SIGTERM, SIGINT, SIGHUP], on: server.loop) { signal in
      server.perform { daemon in
        switch signal {
        case SIGHUP: daemon.reload()
        default: daemon.stop(because: signal == SIGINT ? "interrupted" : "told to")
        }
      }
    }
  }

  /// Each connection takes a descriptor; the usual soft limit of 1024 is for programs that use select(2).
  private static func raiseDescriptorLimit() {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(UInt32(RLIMIT_NOFILE.rawValue)), &limit) == 0 else { return }
    limit.rlim_cur = limit.rlim_max
    setrlimit(__rlimit_resource_t(UInt32(RLIMIT_NOFILE.rawValue)), &limit)
  }

  private static func print(_ text: String) -> Int32 {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { return Status.failed }
      rest = rest.dropFirst(count)
    }
    return Status.ended
  }

  private static func complain(_ text: String) {
    let bytes = Array("listsd: \(text)\n".utf8)
    _ = bytes.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
  }
}
