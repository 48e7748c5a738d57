import Glibc
import ServiceFixture
import Testing

struct CheckTests {
  @Test("A database is looked through; what is damaged is said, and ends with 1")
  func damage() throws {
    let shell = try ShellSession()
    try shell.seed(500)
    let sound = try shell.terminal("check")
    #expect(sound.contains("500 records, 500 kept changes and 0 assets looked at: no problem"))
    shell.service.stop()
    let path = "\(shell.service.stateDirectory)/default/private-\(getuid()).db"
    _ = try runToEnd(["dd", "if=/dev/zero", "of=\(path)", "bs=4096", "seek=20", "count=2", "conv=notrunc"])
    try shell.service.start()
    let run = try shell.run("check")
    #expect(run.ending.status == 1)
    #expect(run.outputText.contains(#""isSound":false"#))
  }
}
