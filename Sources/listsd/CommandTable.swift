import ArgumentParsing
import SocketServer

/// What `listsd` takes, as a table: its parser, `--help` and the manual page are made from it.
enum CommandTable {
  static let version = "0.1.0"

  static let listsd = Command(
    "listsd", "Keep records for the programs of one person or one machine",
    discussion: [
      "listsd is the record service of Lists. Clients speak JSON-RPC 2.0 to it over a Unix socket; listsrpc(1) is "
        + "one for the shell. Records are kept in one file for each database, and every change is pushed to "
        + "those who subscribed to it.",
      "systemd starts it on the first connection to its socket (lists.socket), and it ends by itself when nobody "
        + "needs it. Started by hand it makes the socket itself; a second one at the same socket is refused.",
    ],
    options: [
      Option(
        "socket", takes: "PATH", completion: .file,
        "Listen here, unless systemd handed over a socket; else $LISTS_SOCKET, else "
          + "$XDG_RUNTIME_DIR/lists/lists.sock"),
      Option(
        "state-directory", takes: "DIR", completion: .directory,
        "Keep the records here; else $STATE_DIRECTORY, else $XDG_STATE_HOME/lists"),
      Option(
        "configuration", takes: "FILE", completion: .file,
        "Read this file in place of $XDG_CONFIG_HOME/lists/lists.conf"),
      Option(
        "idle-timeout", takes: "SECONDS",
        "End after this long without a connection, 0 for never, whoever started the service; else as the "
          + "configuration says, and never when started by hand"),
      Option(
        "log-level", takes: "LEVEL", completion: .choices(Journal.Priority.allCases.map(\.name)),
        "Log entries from this level up; else as the configuration says"),
      Option(
        "system",
        "Serve every user of the machine, each with a private database; with /run/lists/lists.sock, "
          + "/var/lib/lists and /etc/lists/lists.conf"),
      Option(
        "ephemeral",
        "Keep everything in memory, on a private socket whose path is printed when it is ready, and end when "
          + "standard input closes; for tests"),
      Option(
        "print", takes: "TEXT", completion: .choices(PrintedText.allCases.map(\.rawValue)),
        "Print a manual page or the default configuration file and exit"),
    ],
    examples: [
      .init("systemctl --user enable --now lists.socket", "Have your own service started when it is needed"),
      .init("listsd --socket /tmp/private/lists.sock --state-directory ~/records", "Run one by hand"),
      .init("listsd --ephemeral < <(sleep infinity)", "Run one for a test"),
    ],
    sections: [
      .init(
        "Signals",
        [
          .init("SIGTERM, SIGINT", "Answer what was accepted, then end; at once when sent again"),
          .init("SIGHUP", "Read the configuration file anew; with an error in it the old settings stay"),
        ]),
      .init(
        "Exit status",
        [
          .init("0", "Ended as told, or idle"),
          .init("1", "The socket can't be had: in use, or no right to it"),
          .init("2", "Wrong options"),
          .init("78", "An error in the configuration file, when started by hand"),
        ]),
      .init(
        "Environment",
        [
          .init("LISTS_SOCKET", "The socket to listen on, for services and clients alike"),
          .init("STATE_DIRECTORY", "The folder of the records (systemd.exec(5))"),
          .init("XDG_RUNTIME_DIR, XDG_STATE_HOME, XDG_CONFIG_HOME", "The user's folders"),
        ]),
      .init(
        "Files",
        [
          .init("lists.socket, lists.service", "The units, of the user and of the system"),
          .init("*.sock.lock", "Held while a service is at a socket that it made itself; it stays"),
        ]),
    ])
}
