import ArgumentParsing

/// One verb of the command line: what it takes and what it does. Runs on the main actor, which nothing else
/// uses: a verb may wait for files and processes.
@MainActor
protocol Verb {
  static var command: Command { get }

  static func run(_ arguments: Arguments, _ session: Session) async throws(Failure)
}

/// Every verb, and the program's own table above them.
@MainActor
enum Verbs {
  static let all: [any Verb.Type] = [
    Save.self, Fetch.self, Query.self, Count.self, Distinct.self, Aggregate.self, Delete.self,
    Deleted.self, Restore.self, History.self, Watch.self, Changes.self, Subscriptions.self, Zones.self,
    Containers.self, Check.self, Repair.self, BackUp.self, RestoreBackup.self, Assets.self, Import.self,
    Export.self, ShowSchema.self, Declare.self, Call.self, Status.self, CompletionScript.self,
    Manual.self,
  ]

  static func named(_ name: String) -> (any Verb.Type)? {
    all.first { $0.command.name == name }
  }

  static let program = Command(
    "listsrpc", "Work with records of the Lists service",
    discussion: [
      "Saves, queries and watches records kept by listsd, over its Unix socket. On a terminal records "
        + "are shown as a table; into a pipe or a file goes one JSON value a line.",
      "A word that begins with a dash and is no option goes behind '--'.",
    ],
    options: [
      Option(
        "socket", takes: "PATH", completion: .file,
        "The service's socket (default: $LISTS_SOCKET, else your own service's, else the machine's)"),
      Option("container", takes: "NAME", "The container (default: 'default')"),
      Option(
        "database", takes: "NAME", completion: .choices(["private", "public"]),
        "The database (default: private)"),
      Option("json", "Print JSON on a terminal too, errors included"),
      Option("no-progress", "Show no progress bar"),
    ],
    commands: all.map { $0.command },
    sections: [
      .init("Exit status", ExitStatus.allCases.map { .init("\($0.rawValue)", $0.meaning) }),
      .init(
        "Environment",
        [
          .init("LISTS_SOCKET", "The service's socket, unless --socket is given."),
          .init(
            "XDG_RUNTIME_DIR",
            "Where your own service's socket is looked for (lists/lists.sock); it must be yours."),
          .init("NO_COLOR", "Set and not empty: no colours and no bold on a terminal."),
        ]),
      .init(
        "Files",
        [
          .init("$XDG_RUNTIME_DIR/lists/lists.sock", "The socket of your own service."),
          .init("/run/lists/lists.sock", "The socket of the machine's service."),
        ]),
    ])

  static let manual = ManualPage(
    program, section: 1, source: "Lists \(ListsRPC.version)", seeAlso: ["listsd(8)"])
}
