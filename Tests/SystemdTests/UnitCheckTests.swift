import Glibc
import ServiceFixture
import Testing

private let hasAnalyzer =
  (try? runToEnd(["sh", "-c", "command -v systemd-analyze && command -v make"]))?.ending.status == 0

@Suite(
  "Units as systemd-analyze sees them",
  .enabled(if: hasAnalyzer, "systemd-analyze is not installed (Debian: systemd)"))
struct UnitCheckTests {
  let folder: TemporaryFolder

  /// Installs into a folder, with units that name the programs there.
  init() throws {
    folder = try TemporaryFolder()
    let made = try runToEnd([
      "make", "-s", "-C", projectFolder, "install", "PREFIX=\(folder.path)", "RELEASE=\(buildFolder)",
      "SYSTEM_CONFIGURATION=\(folder.path)/etc",
    ])
    try #require(made.ending.status == 0, "\(made.errorText)")
  }

  private func analyze(_ words: [String]) throws -> ProgramRun {
    try runToEnd(
      ["systemd-analyze"] + words,
      environment: ["MANPATH": "\(folder.path)/share/man", "XDG_RUNTIME_DIR": folder.path])
  }

  @Test(
    "systemd-analyze verify finds nothing, in the machine's units or a user's", arguments: ["system", "user"])
  func verify(kind: String) throws {
    let units = ["lists.socket", "lists.service"].map { "\(folder.path)/lib/systemd/\(kind)/\($0)" }
    let run = try analyze(["--\(kind)", "verify"] + units)
    #expect(run.ending.status == 0)
    #expect(run.errorText.isEmpty && run.outputText.isEmpty, "\(run.errorText)\(run.outputText)")
  }

  @Test("the machine's service has an exposure of 1.5 at most")
  func security() throws {
    let unit = "\(folder.path)/lib/systemd/system/lists.service"
    let run = try analyze(["security", "--offline=true", "--threshold=15", "--no-pager", unit])
    #expect(run.ending.status == 0, "\(run.outputText)")
    #expect(run.outputText.contains("Overall exposure level for lists.service"))
  }

  @Test("make uninstall takes away all that make install put in place, and leaves a changed configuration")
  func uninstall() throws {
    func make(_ target: String, _ folder: String) throws {
      let run = try runToEnd(
        [
          "make", "-s", "-C", projectFolder, target, "DESTDIR=\(folder)", "RELEASE=\(buildFolder)",
          "HOME=/home/somebody",
        ], environment: ["XDG_CONFIG_HOME": nil])
      #expect(run.ending.status == 0, "\(run.errorText)")
    }
    func files(_ folder: String) throws -> String { try runToEnd(["find", folder, "-type", "f"]).outputText }
    for (install, uninstall) in [("install", "uninstall"), ("install-user", "uninstall-user")] {
      let root = try TemporaryFolder()
      try make(install, root.path)
      let installed = try files(root.path)
      for name in [
        "bin/listsd", "bin/listsrpc", "man8/listsd.8", "lists.service", "lists.socket", "lists.conf",
      ] {
        #expect(installed.contains(name + "\n"), "\(install): \(name)")
      }
      try make(uninstall, root.path)
      #expect(try files(root.path).isEmpty)
      try make(install, root.path)
      let configuration = try #require(
        installed.split(separator: "\n").first { $0.hasSuffix("/lists.conf") })
      try #require(try runToEnd(["sh", "-c", "echo idleTimeout = 5 >>\(configuration)"]).ending.status == 0)
      try make(install, root.path)
      try make(uninstall, root.path)
      #expect(try files(root.path) == configuration + "\n")
    }
  }
}
