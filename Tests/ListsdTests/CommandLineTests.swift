import Glibc
import ServiceFixture
import Testing

@testable import listsd

@Suite("listsd: command line")
struct CommandLineTests {
  private let program = "\(buildFolder)/listsd"

  @Test("help, version and the printed texts go to standard output")
  func printing() throws {
    for words in [["--help"], ["--version"]] + PrintedText.allCases.map({ ["--print", $0.rawValue] }) {
      let run = try runToEnd([program] + words)
      #expect(run.ending.status == 0)
      #expect(!run.output.isEmpty)
      #expect(run.errors.isEmpty)
    }
  }

  @Test(
    "wrong options are named, with status 2",
    arguments: [
      (["--sokcet", "x"], "--socket"), (["--idle-timeout", "soon"], "--idle-timeout"),
      (["--ephemeral", "--state-directory", "/x"], "--ephemeral"), (["extra"], "extra"),
      (["--log-level", "loud"], "warning"),
    ])
  func wrongOptions(words: [String], name: String) throws {
    let run = try runToEnd([program] + words)
    #expect(run.ending.status == 2)
    #expect(run.errorText.contains(name))
    #expect(run.output.isEmpty)
  }

  @Test("an error in the configuration is told with its line, with status 78")
  func wrongConfiguration() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/lists.conf"
    try write("idleTimeout = 5\nspeed = high\n", to: path)
    let run = try runToEnd([program, "--configuration", path, "--socket", folder.path + "/s", "--ephemeral"])
    #expect(run.ending.status == 78)
    #expect(run.errorText.contains("line 2: there is no setting 'speed'"))
  }

  @Test(
    "without any runtime folder it refuses, says what to do, and leaves nothing in /tmp",
    .enabled(
      if: access("/run/user/\(getuid())", F_OK) != 0, "this user has a runtime folder, and that would be used"
    ))
  func noRuntimeFolder() throws {
    let run = try runToEnd(
      [program, "--state-directory", "/nonexistent"],
      environment: ["XDG_RUNTIME_DIR": nil, "LISTS_SOCKET": nil])
    #expect(run.ending.status == 1)
    #expect(run.errorText.contains("XDG_RUNTIME_DIR"))
    #expect(access("/tmp/lists.sock", F_OK) != 0)
    #expect(access("/tmp/lists/lists.sock", F_OK) != 0)
  }
}

/// Makes or replaces a file.
func write(_ text: String, to path: String) throws {
  let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
  guard descriptor >= 0 else { throw FixtureError("\(path): \(errno)") }
  defer { close(descriptor) }
  let bytes = Array(text.utf8)
  guard Glibc.write(descriptor, bytes, bytes.count) == bytes.count else {
    throw FixtureError("\(path): \(errno)")
  }
}
