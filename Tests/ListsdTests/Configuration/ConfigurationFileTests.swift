import ListsService
import RecordStore
import ServiceFixture
import SocketServer
import Testing

@testable import listsd

@Suite("Configuration file")
struct ConfigurationFileTests {
  private func parse(_ text: String) throws(ConfigurationFile.Fault) -> Settings {
    try ConfigurationFile.parse(Array(text.utf8), path: "lists.conf")
  }

  @Test("names, values, comments and empty lines, with any white space")
  func reading() throws {
    let settings = try parse(
      "# all of it\r\n\n idleTimeout=5 # soon\n\tmaximumMessageBytes =  64K\nlogLevel = debug\n"
        + "automaticIndexes = no\nmaximumIndexes = 7\n")
    #expect(settings.idleTimeout == 5)
    #expect(!settings.automaticIndexes)
    #expect(settings.limits.maximumIndexes == 7)
    #expect(settings.limits.maximumMessageBytes == 65536)
    #expect(settings.logLevel == .debug)
    #expect(settings.stopTimeout == Settings().stopTimeout)
  }

  @Test("how much history is kept is set in days, changes and bytes")
  func history() throws {
    let limits = try parse("historyDays = 7\nhistoryChanges = 5000\nhistoryBytes = 3M").storeLimits
    #expect(limits.maximumHistoryAge == 7 * 24 * 3600 * 1000)
    #expect(limits.maximumHistoryChanges == 5000)
    #expect(limits.maximumHistoryBytes == 3 << 20)
    #expect(try parse("historyDays = 0").storeLimits.maximumHistoryAge == 0)
    #expect(Settings().storeLimits == StoreLimits())
  }

  @Test("the printed default file has every setting, and means the defaults with and without its comments")
  func defaultFile() throws {
    let text = PrintedText.configuration.text
    #expect(try parse(text) == Settings())
    let lines = text.split(separator: "\n").filter { $0.hasPrefix("#") && $0.contains(" = ") }
    #expect(lines.count == Setting.all.count)
    #expect(try parse(lines.map { $0.dropFirst() }.joined(separator: "\n")) == Settings())
  }

  @Test(
    "what is wrong is told with its line",
    arguments: [
      ("\n\nidleTimeOut = 5", 3, "there is no setting 'idleTimeOut'; it is spelt 'idleTimeout'"),
      ("idle-timeout = 5", 1, "it is spelt 'idleTimeout'"),
      ("colour = blue", 1, "there is no setting 'colour'"),
      ("idleTimeout 5", 1, "is not of the form name = value"),
      ("idleTimeout = soon", 1, "takes a whole number of seconds"),
      ("historyChanges = 10", 1, "from 1000 to"),
      ("idleTimeout = -1", 1, "takes a whole number of seconds"),
      ("idleTimeout = 5K", 1, "takes a whole number of seconds"),
      ("maximumMessageBytes = 99999999999G", 1, "takes a whole number of bytes"),
      ("maximumMessageBytes = K", 1, "takes a whole number of bytes"),
      ("maximumDepth = 513", 1, "from 16 to 512"),
      ("logLevel = loud", 1, "takes one of error, warning"),
      ("logLevel =", 1, "takes one of"),
      ("automaticIndexes = true", 1, "takes yes or no"),
      ("stopTimeout = 1\nstopTimeout = 2", 2, "is set in line 1 already"),
    ])
  func faults(text: String, line: Int, reason: String) {
    let fault = #expect(throws: ConfigurationFile.Fault.self) { try parse(text) }
    #expect(fault?.line == line)
    #expect(fault?.reason.contains(reason) == true)
  }

  @Test("a file that is not UTF-8 is told with its line")
  func invalidText() {
    let fault = #expect(throws: ConfigurationFile.Fault.self) {
      try ConfigurationFile.parse([UInt8(ascii: "\n"), 0xff], path: "lists.conf")
    }
    #expect(fault?.line == 2)
  }

  @Test("a file that is not there is an empty one, unless it was named")
  func missingFile() throws {
    let folder = try TemporaryFolder()
    #expect(try ConfigurationFile.read(folder.path + "/none", mustExist: false) == Settings())
    #expect(throws: ConfigurationFile.Fault.self) {
      try ConfigurationFile.read(folder.path + "/none", mustExist: true)
    }
    #expect(throws: ConfigurationFile.Fault.self) {
      try ConfigurationFile.read(folder.path, mustExist: false)
    }
  }
}
