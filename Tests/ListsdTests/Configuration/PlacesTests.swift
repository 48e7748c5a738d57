import Glibc
import ServiceFixture
import Testing

@testable import listsd

@Suite("Places")
struct PlacesTests {
  private func places(_ environment: [String: String], isSystem: Bool = false) -> Places {
    Places(isSystem: isSystem) { environment[$0] }
  }

  @Test("the folder of the records is systemd's, else XDG's, else below HOME")
  func stateDirectory() throws {
    let all = ["STATE_DIRECTORY": "/s:/t", "XDG_STATE_HOME": "/x", "HOME": "/h"]
    #expect(try places(all).stateDirectory() == "/s")
    #expect(try places(["XDG_STATE_HOME": "/x", "HOME": "/h"]).stateDirectory() == "/x/lists")
    #expect(
      try places(["XDG_STATE_HOME": "relative", "HOME": "/h"]).stateDirectory() == "/h/.local/state/lists")
    #expect(try places([:], isSystem: true).stateDirectory() == "/var/lib/lists")
    #expect(throws: Places.Fault.self) { try places([:]).stateDirectory() }
  }

  @Test("the socket's folder is made for its owner only")
  func socketFolder() throws {
    let folder = try TemporaryFolder()
    #expect(try places(["XDG_RUNTIME_DIR": folder.path]).socket() == folder.path + "/lists/lists.sock")
    var status = stat()
    #expect(stat(folder.path + "/lists", &status) == 0)
    #expect(status.st_mode & 0o777 == 0o700)
  }

  @Test("a folder that others can write to is refused, and so is one that is somebody else's")
  func foreignFolder() throws {
    let folder = try TemporaryFolder()
    #expect(chmod(folder.path, 0o777) == 0)
    #expect(throws: Places.Fault.self) { try places(["XDG_RUNTIME_DIR": folder.path]).socket() }
    #expect(chmod(folder.path, 0o700) == 0)
    #expect(symlink("/tmp", folder.path + "/lists") == 0)
    #expect(throws: Places.Fault.self) { try places(["XDG_RUNTIME_DIR": folder.path]).socket() }
    if getuid() == 0 {
      #expect(unlink(folder.path + "/lists") == 0)
      #expect(chown(folder.path, 12345, 12345) == 0)
      #expect(throws: Places.Fault.self) { try places(["XDG_RUNTIME_DIR": folder.path]).socket() }
    }
  }

  @Test(
    "without a runtime folder there is no socket, and what to do is said",
    .enabled(
      if: access("/run/user/\(getuid())", F_OK) != 0, "this user has a runtime folder, and that would be used"
    ))
  func noRuntimeFolder() throws {
    let fault = #expect(throws: Places.Fault.self) { try places([:]).socket() }
    #expect(fault?.description.contains("--socket") == true)
  }
}
