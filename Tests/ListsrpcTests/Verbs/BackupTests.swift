import Glibc
import ServiceFixture
import Testing

struct BackupTests {
  private let session: ShellSession
  private let folder: TemporaryFolder

  init() throws {
    session = try ShellSession()
    folder = try TemporaryFolder()
  }

  private func write(_ text: String, to name: String) throws {
    let run = try runToEnd(["tee", name], input: Array(text.utf8))
    #expect(run.ending.status == 0)
  }

  private func text(of name: String) throws -> String { try runToEnd(["cat", name]).outputText }

  private func files(in path: String) throws -> [String] {
    try runToEnd(["ls", path]).outputText.split(separator: "\n").map(String.init)
  }

  @Test("A database with its assets goes into a folder and comes back as it was")
  func roundTrip() throws {
    let backup = folder.path + "/backup"
    try write("picture", to: folder.path + "/picture.jpg")
    try session.run("save", "Item", "--name", "a", "v:=1", "photo=@\(folder.path)/picture.jpg")
    try session.seed(50)
    let before = try session.lines("export")
    #expect(try session.run("backup", backup).ending.status == 0)
    let first = try files(in: backup)
    #expect(first.count == 3 && first.contains("manifest.json") && first.contains("assets"))
    #expect(try files(in: backup + "/assets").count == 1)
    // Again, with one more: the older file goes once the newer one counts.
    try write("another", to: folder.path + "/another.jpg")
    try session.run("save", "Item", "--name", "b", "photo=@\(folder.path)/another.jpg")
    let now = try session.lines("export")
    #expect(try session.terminal("backup \(backup)").contains("52 records and 2 assets, 1 of them new"))
    #expect(try files(in: backup).count == 3)
    #expect(try files(in: backup) != first)

    try session.run("delete", "a", "b", "n1")
    #expect(try session.run("restore-backup", backup).ending.status == 1)
    #expect(try session.run("restore-backup", backup, "--replace").ending.status == 0)
    #expect(try session.lines("export").sorted() == now.sorted())
    #expect(now.count == before.count + 1)
    // Another service, that has nothing.
    let other = try ShellSession()
    #expect(try other.run("restore-backup", backup).ending.status == 0)
    #expect(try other.lines("export").sorted() == now.sorted())
    #expect(try other.run("asset", "get", "b", "photo").outputText == "another")
    #expect(try other.run("check").ending.status == 0)
  }

  @Test("A backup that is damaged, unfinished or of another place is not restored")
  func refusals() throws {
    let backup = folder.path + "/backup"
    try write("picture", to: folder.path + "/picture.jpg")
    try session.run("--container", "notes", "save", "Item", "photo=@\(folder.path)/picture.jpg")
    #expect(try session.run("--container", "notes", "backup", backup).ending.status == 0)
    let elsewhere = try session.run("restore-backup", backup)
    #expect(elsewhere.ending.status == 2 && elsewhere.errorText.contains("notes"))
    #expect(try session.run("--container", "default", "restore-backup", backup).ending.status == 0)
    #expect(try session.lines("export").count == 1)

    let asset = try backup + "/assets/" + #require(files(in: backup + "/assets").first)
    let restore = ["--container", "copy", "restore-backup", backup]
    try write("pictuRe", to: asset)
    let damaged = try runToEnd([session.program] + restore, environment: session.environment)
    #expect(damaged.ending.status == 1 && damaged.errorText.contains("checksum"))
    try write("picture", to: asset)
    let records = try #require(files(in: backup).first { $0.hasPrefix("records-") })
    try write("short", to: "\(backup)/\(records)")
    #expect(try session.run("--container", "copy", "restore-backup", backup).errorText.contains("size"))
    #expect(try !session.lines("containers").joined().contains("copy"))
    unlink(backup + "/manifest.json")
    #expect(
      try session.run("--container", "copy", "restore-backup", backup).errorText.contains("no whole backup"))
    try write("{}", to: backup + "/manifest.json")
    #expect(try session.run("--container", "copy", "restore-backup", backup).ending.status == 1)
    // Nor is what isn't a backup overwritten.
    #expect(try session.run("backup", backup).ending.status == 1)
    #expect(try text(of: backup + "/manifest.json") == "{}")
    #expect(try session.run("restore-backup", folder.path + "/none").ending.status == 1)
  }

  @Test("A service that is killed while backups are restored has one or the other whole")
  func kill() throws {
    let backups = ["x", "y"].map { folder.path + "/" + $0 }
    for backup in backups {
      let mark = backup.suffix(1)
      let rows = (0..<300).map {
        #"{"recordName":"\#($0)","recordType":"Item","fields":{"mark":"\#(mark)"}}"#
      }
      #expect(
        try session.run("import", "-", input: rows.joined(separator: "\n")).ending.status == 0)
      #expect(try session.run("backup", backup).ending.status == 0)
    }
    let state = session.service.stateDirectory + "/default"
    // While it is copied and looked through, while it is exchanged, and behind that.
    for (round, sign) in [".new-restore", ".replaced-", ".new-restore", ".replaced-", "", ""].enumerated() {
      let known = Set(try files(in: state))
      let process = try spawn(
        [session.program, "restore-backup", backups[round % 2], "--replace"], environment: session.environment
      )
      var isOver = false
      while !isOver {
        isOver = waitpid(process, nil, WNOHANG) != 0
        if !sign.isEmpty, try files(in: state).contains(where: { $0.contains(sign) && !known.contains($0) }) {
          break
        }
      }
      session.service.stop(SIGKILL)
      if !isOver { _ = waitForEnd(of: process) }
      try session.service.start()
      let marks = Set(try session.lines("export").map { $0.contains(#""mark":"x""#) })
      #expect(marks.count == 1)
      #expect(try session.lines("export").count == 300)
      #expect(try session.run("check").ending.status == 0)
    }
    #expect(try session.run("restore-backup", backups[0], "--replace").ending.status == 0)
    #expect(try session.lines("export").allSatisfy { $0.contains(#""mark":"x""#) })
  }
}
