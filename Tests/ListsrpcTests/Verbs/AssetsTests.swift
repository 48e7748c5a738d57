import ServiceFixture
import Testing

struct AssetsTests {
  let session: ShellSession

  init() throws { session = try ShellSession() }

  private static let hello = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"

  @Test("A field gets a file, from its path or from standard input, and gives it back")
  func files() throws {
    let folder = session.service.folder.path
    try #require(session.bash("head -c 3000000 /dev/urandom > \(folder)/picture.jpg").ending.status == 0)
    let saved = try session.lines("save", "Lists", "-n", "home", "photo=@\(folder)/picture.jpg", "name=Home")
    #expect(saved[0].contains(#""size":3000000"#) && saved[0].contains(#""name":"Home""#))
    #expect(
      try session.bash("listsrpc asset get home photo | cmp - \(folder)/picture.jpg").ending.status == 0)
    #expect(try session.run("asset", "get", "home", "photo", "-o", "\(folder)/copy").ending.status == 0)
    let left = try session.bash("cmp \(folder)/copy \(folder)/picture.jpg; ls \(folder)/*.part")
    #expect(left.outputText == "")
    try session.run("save", "Lists", "-n", "two", "photo=@-", input: "hello")
    #expect(try session.run("asset", "get", "two", "photo").outputText == "hello")
    #expect(try session.run("asset", "get", Self.hello).outputText == "hello")
    #expect(try session.run("asset", "get", Self.hello, "-o", "/dev/stdout").outputText == "hello")
  }

  @Test("put prints what a field gets")
  func put() throws {
    let value = #"{"$asset":{"checksum":"\#(Self.hello)","size":5}}"#
    #expect(try session.lines("asset", "put", "-", input: "hello") == [value])
    let saved = try session.lines("save", "Lists", "photos:=[\(value),\(value)]", "photo:=\(value)")
    #expect(saved[0].contains(value))
  }

  @Test("Text that begins with an @ is saved as JSON")
  func textWithAt() throws {
    #expect(try session.lines("save", "Item", #"v:="@home""#)[0].contains(#""v":"@home""#))
  }

  @Test("What can't be read, is not there or makes no sense is told")
  func faults() throws {
    let missing = try session.run("save", "Item", "photo=@/no/such/file")
    #expect(missing.ending.status == 1 && missing.errorText.contains("/no/such/file"))
    #expect(try session.run("save", "Item", "photo=@/").ending.status == 1)
    try session.run("save", "Item", "-n", "a", "v:=1")
    for words in [["get", "a", "v"], ["get", "a", "w"], ["get", String(repeating: "0", count: 64)]] {
      let run = try runToEnd(
        [session.program, "asset"] + words, environment: session.environment)
      #expect(run.ending.status == 1 && run.output.isEmpty && !run.errors.isEmpty, "\(words)")
    }
    #expect(try session.run("asset", "get", "none", "photo").ending.status == 4)
    #expect(try session.run("asset", "get", "1", "2", "3").ending.status == 2)
    #expect(try session.run("asset", "put", "-", "-o", "x").ending.status == 2)
    #expect(try session.run("asset", "look", "x").ending.status == 2)
    #expect(try session.terminal("asset get \(Self.hello)").contains("not for the terminal"))
  }
}
