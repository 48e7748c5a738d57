import Glibc
import JSONRPC
import ServiceFixture
import Testing

@Suite(
  "Units under a real systemd", .serialized,
  .enabled(if: Container.obstacle == nil, "\(Container.obstacle ?? "")"))
struct UnitTests {
  /// Has the machine's service started when it is needed, with these settings.
  private func container(configuration: String = "", service: String = "") throws -> Container {
    let container = try Container()
    if !configuration.isEmpty { try container.write(configuration, to: "/etc/lists/lists.conf") }
    if !service.isEmpty {
      try container.write("[Service]\n\(service)\n", to: "/etc/systemd/system/lists.service.d/test.conf")
      try container.run("systemctl", "daemon-reload")
    }
    try container.run("systemctl", "enable", "--now", "lists.socket")
    return container
  }

  @Test("the first connection starts the service, and its record is there for the next after the idle exit")
  func activation() throws {
    let container = try container(configuration: "idleTimeout = 1\n")
    #expect(try container.property("ActiveState") == "inactive")
    do {
      let connection = try container.connect()
      #expect(try connection.save("a")["result"] != nil)
      #expect(try container.property("ActiveState") == "active")
      #expect(try container.property("SubState", of: "lists.socket") == "running")
    }
    let first = try container.property("InvocationID")
    try container.wait(for: "ActiveState", toBe: "inactive")
    #expect(try container.property("Result") == "success")
    #expect(try container.property("ActiveState", of: "lists.socket") == "active")
    #expect(try container.connect().finds("a"))
    #expect(try container.property("InvocationID") != first)
  }

  @Test("it says when it is ready and how it is, and its log entries are structured")
  func statusAndJournal() throws {
    let container = try container()
    let connection = try container.connect()
    #expect(try connection.save("a")["result"] != nil)
    #expect(try connection.ask("subscribe", "{\"recordType\":\"Item\"}")["result"] != nil)
    try container.wait(
      for: "StatusText", toBe: "1 connections, 1 subscriptions, 1 records in open databases")
    try container.run("systemctl", "stop", "lists.service")
    let entries = try container.run(
      "journalctl", "--output", "json", "--no-pager", "SYSLOG_IDENTIFIER=listsd", "PRIORITY=6")
    let entry = try JSON(parsing: String(try #require(entries.split(separator: "\n").first)))
    #expect(entry["MESSAGE"]?.stringValue == "ending: told to")
    #expect(entry["_TRANSPORT"]?.stringValue == "journal")
    #expect(entry["_SYSTEMD_UNIT"]?.stringValue == "lists.service")
  }

  @Test("of 500 connections around the moment of the idle exit none is lost")
  func idleExitLosesNobody() async throws {
    let container = try container(configuration: "idleTimeout = 1\n")
    #expect(try container.connect().save("a")["result"] != nil)
    var starts: Set<String> = []
    for round in 0..<20 {
      // Time is what this is about: from 970 to 1030 ms after the last connection was closed.
      try await Task.sleep(for: .milliseconds(970 + 3 * round))
      var connections: [LineConnection] = []
      for _ in 0..<25 {
        let connection = try container.connect()
        try connection.send(
          "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"fetchRecord\",\"params\":{\"recordName\":\"a\"}}\n")
        connections.append(connection)
      }
      for connection in connections {
        let reply = try JSON(parsing: try #require(try connection.receiveLine(), "a connection was lost"))
        #expect(reply["result"]?["record"]?["recordName"]?.stringValue == "a")
      }
      starts.insert(try container.property("InvocationID"))
    }
    // Some rounds came before the end and some after it.
    #expect(starts.count > 1)
    #expect(try container.property("Result", of: "lists.socket") == "success")
  }

  @Test("the watchdog leaves a healthy service alone and restarts one that has stopped")
  func watchdog() async throws {
    let container = try container(service: "WatchdogSec=1")
    let connection = try container.connect()
    #expect(try connection.save("a")["result"] != nil)
    let process = try container.property("MainPID")
    // Longer than the watchdog waits.
    var waiting = pollfd(fd: connection.descriptor, events: Int16(POLLIN), revents: 0)
    #expect(poll(&waiting, 1, 2500) == 0)
    #expect(try container.property("MainPID") == process)
    try container.run("kill", "-STOP", process)
    // It waits in the queue of a service that does not turn, and is answered by the next one.
    #expect(try container.connect().finds("a"))
    #expect(try container.property("MainPID") != process)
    #expect(try container.property("NRestarts") == "1")
    #expect(try container.journal().contains("Watchdog timeout"))
  }

  @Test(
    "systemctl reload takes new settings without losing a connection, and keeps the old ones over an error")
  func reload() throws {
    let container = try container(configuration: "maximumItems = 7\n")
    let connection = try container.connect()
    func limit() throws -> Int64? {
      try connection.ask("serverInfo")["result"]?["limits"]?["maximumItems"]?.int64Value
    }
    #expect(try limit() == 7)
    try container.write("maximumItems = 8\n", to: "/etc/lists/lists.conf")
    try container.run("systemctl", "reload", "lists.service")
    try wait { try limit() == 8 }
    try container.write("maximumItems = 9\nspeed = high\n", to: "/etc/lists/lists.conf")
    try container.run("systemctl", "reload", "lists.service")
    let fault = "/etc/lists/lists.conf, line 2: there is no setting 'speed'"
    try wait { try container.journal().contains(fault) }
    #expect(try limit() == 8)
    #expect(try container.property("ActiveState") == "active")
  }

  @Test("while the records can't be reached every client is told so, and nothing has to be done after it")
  func unreachableStore() throws {
    let container = try container(configuration: "idleTimeout = 1\n")
    // A file in the place of the folder of the default container.
    try container.run("mkdir", "-p", "/var/lib/private/lists")
    try container.run("touch", "/var/lib/private/lists/default")
    for _ in 0..<60 {
      let code = try container.connect().ask("fetchRecord", "{\"recordName\":\"a\"}")["error"]?["code"]
      #expect(code?.int64Value.map { (-32015 ... -32011).contains($0) } == true)
    }
    let entries = try container.run(
      "journalctl", "--output", "json", "--no-pager", "LISTS_METHOD=fetchRecord", "LISTS_UID=0")
    #expect(entries.split(separator: "\n").count == 60)
    try container.run("rm", "/var/lib/private/lists/default")
    #expect(try container.connect().save("a")["result"] != nil)
    for unit in ["lists.service", "lists.socket"] {
      #expect(try container.property("Result", of: unit) == "success")
    }
  }

  @Test("a service that is killed again and again is there for the next client")
  func noStartLimit() throws {
    let container = try container()
    for _ in 0..<12 {
      let connection = try container.connect()
      #expect(try connection.save("a")["result"] != nil || connection.finds("a"))
      try container.run("kill", "-KILL", try container.property("MainPID"))
      #expect((try? connection.receiveLine()) == .some(.none))
    }
    #expect(try container.connect().finds("a"))
    #expect(try container.property("ActiveState", of: "lists.socket") == "active")
  }

  @Test("a user's own service under the user's own systemd: installed, started by a connection, sandboxed")
  func userManager() throws {
    let home = "/var/lib/somebody"
    let container = try Container(.user(home: home))
    let runtime = "/run/somebody"
    try container.run(
      "systemd-run", "--unit=somebody", "--uid=nobody", "--property=Delegate=yes",
      "--property=RuntimeDirectory=somebody", "--property=RuntimeDirectoryMode=0700",
      "--setenv=XDG_RUNTIME_DIR=\(runtime)", "--setenv=HOME=\(home)", "/lib/systemd/systemd", "--user",
      "--unit=basic.target")
    func user(_ words: String...) throws -> String {
      let command = (["systemctl", "--user"] + words).joined(separator: " ")
      return try container.run(
        "setpriv", "--reuid=nobody", "--clear-groups", "env", "XDG_RUNTIME_DIR=\(runtime)", "HOME=\(home)",
        "sh", "-c", command)
    }
    try wait { (try? user("is-system-running")) != nil }
    _ = try user("enable", "--now", "lists.socket")
    let connection = try container.connect(runtime + "/lists/lists.sock")
    #expect(try connection.save("a")["result"] != nil)
    #expect(try user("show", "--property=ActiveState", "--value", "lists.service") == "active")
    #expect(try container.run("stat", "--format=%a", runtime + "/lists/lists.sock") == "600")
    #expect(try container.run("stat", "--format=%a %U", home + "/.local/state/lists") == "700 nobody")
    _ = try user("restart", "lists.service")
    #expect(try container.connect(runtime + "/lists/lists.sock").finds("a"))
  }

  /// Returns once the condition holds; fails after 20 seconds.
  private func wait(_ condition: () throws -> Bool) throws {
    let deadline = ContinuousClock.now + .seconds(20)
    while try !condition() {
      guard ContinuousClock.now < deadline else { throw FixtureError("it did not happen within 20 s") }
    }
  }
}
