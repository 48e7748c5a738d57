import JSONRPC
import ListsService
import Records
import SocketServer

/// The record service as a process: its sessions, and what systemd and signals ask of it.
///
/// It belongs to its server, so that everything here runs on the loop's thread.
final class Daemon: SocketApplication {
  typealias Server = SocketServer.Server<Daemon>

  let service: Service
  private let server: Server
  private let options: Options
  private let ownedSocket: OwnedSocket?
  private let journal: Journal
  private let notifier: Notifier
  private var settingsFault: ConfigurationFile.Fault?
  private var settings: Settings
  private var isStopping = false
  private var statusIsDue = false
  private var lastStatus = ""

  /// - Parameters:
  ///   - ownedSocket: the socket that the process made itself; nil when systemd handed it over.
  ///   - settingsFault: why the configuration can't be used. Every connection is told that there is
  ///     something to mend, and the service soon ends, so that the next one finds it mended.
  init(
    server: Server, options: Options, settings: Settings, settingsFault: ConfigurationFile.Fault?,
    ownedSocket: OwnedSocket?, journal: Journal, notifier: Notifier
  ) {
    self.server = server
    self.options = options
    self.settings = settings
    self.settingsFault = settingsFault
    self.ownedSocket = ownedSocket
    self.journal = journal
    self.notifier = notifier
    var configuration = ServiceConfiguration(
      location: options.location, access: options.access, version: CommandTable.version)
    configuration.limits = settings.limits
    configuration.makesAutomaticIndexes = settings.automaticIndexes
    configuration.storeLimits = settings.storeLimits
    service = Service(
      configuration,
      deliver: { [weak server] delivery in server?.perform { $0.service.receive(delivery) } },
      log: { journal.write($0) })
  }

  // MARK: Connections

  var isIdle: Bool { service.isIdle }

  func open(_ peer: Peer, outbound: any Outbound) -> any ConnectionHandler {
    statusMayHaveChanged()
    if settingsFault != nil { return UnconfiguredHandler(outbound: outbound) }
    return service.openSession(user: peer.userID, outbound: outbound)
  }

  // MARK: Start

  /// Says that the service is ready and sets all in motion that goes by the clock.
  func start() {
    applyIdleTimeout()
    lastStatus = status(connections: 0)
    notifier.ready(status: lastStatus)
    if let timeout = notifier.watchdogTimeout { beat(every: timeout / 3) }
  }

  /// Each beat proves that the loop and every store's writer have turned since the last one.
  private func beat(every interval: Duration) {
    let notifier = notifier
    service.ping { [server] in
      // On a store's thread; that the loop turns shows when this runs.
      server.perform { _ in notifier.watchdog() }
    }
    server.loop.schedule(after: interval) { [server] in
      server.perform { $0.beat(every: interval) }
    }
  }

  private func applyIdleTimeout() {
    var seconds = options.idleTimeout ?? (ownedSocket == nil ? settings.idleTimeout : 0)
    if settingsFault != nil { seconds = 1 }
    let timeout: Duration? = seconds == 0 ? nil : .seconds(seconds)
    server.assumeIsolated { server in
      server.setIdleTimeout(timeout) { [weak server] in
        server?.perform { $0.stop(because: "nobody needs the service") }
      }
    }
  }

  // MARK: Status

  private func statusMayHaveChanged() {
    if statusIsDue { return }
    statusIsDue = true
    server.loop.schedule(after: .seconds(1)) { [server] in
      server.perform { $0.tellStatus() }
    }
  }

  private func tellStatus() {
    statusIsDue = false
    if isStopping { return }
    let connections = server.assumeIsolated { $0.connectionCount }
    let status = status(connections: connections)
    if status != lastStatus { notifier.status(status) }
    lastStatus = status
    // While somebody is connected, subscriptions and records may change at any time.
    if connections > 0 { statusMayHaveChanged() }
  }

  private func status(connections: Int) -> String {
    if let settingsFault { return "not serving: \(settingsFault)" }
    let statistics = service.statistics
    return "\(connections) connections, \(statistics.subscriptions) subscriptions, "
      + "\(statistics.records) records in open databases"
  }

  // MARK: Signals

  /// Reads the configuration file anew. With a fault in it the old settings stay.
  func reload() {
    notifier.reloading()
    defer { notifier.ready(status: lastStatus) }
    do throws(ConfigurationFile.Fault) {
      settings = try options.readSettings()
      settingsFault = nil
    } catch {
      journal.write(.error, "the old settings stay: \(error)")
      lastStatus = "the old settings stay: \(error)"
      return
    }
    journal.level = options.logLevel ?? settings.logLevel
    service.reload(settings.limits)
    let limits = settings.connectionLimits
    server.assumeIsolated { $0.setLimits(limits) }
    applyIdleTimeout()
    lastStatus = status(connections: server.assumeIsolated { $0.connectionCount })
    journal.write(.info, "the configuration was read anew")
  }

  /// Answers what was accepted, then ends the loop; at once when it is told a second time.
  func stop(because reason: String) {
    let loop = server.loop
    if isStopping {
      loop.stop()
      return
    }
    isStopping = true
    journal.write(.info, "ending: \(reason)")
    let patience = Duration.seconds(settings.stopTimeout)
    notifier.stopping(status: "ending: \(reason)")
    notifier.extendTimeout(by: patience + .seconds(30))
    ownedSocket?.removeName()
    let acceptsQueue = ownedSocket != nil
    server.assumeIsolated { server in
      server.stop(within: patience, acceptsQueue: acceptsQueue) { loop.stop() }
    }
  }

  /// Ends the stores; what they accepted is carried out first. After the loop has ended.
  func close() {
    service.close()
    ownedSocket?.release()
  }
}

extension Journal {
  /// An entry of the record service.
  func write(_ entry: LogEntry) {
    write(
      Priority(rawValue: entry.priority.rawValue) ?? .info, entry.message,
      entry.fields.map { Field($0.name, $0.value) })
  }
}
