import Testing

@testable import ListsService

struct RecentOriginsTests {
  @Test("It knows the newest commits, and of no others")
  func bounded() {
    var origins = RecentOrigins()
    for commit in Int64(5)...300_000 { origins.note(UInt64(commit % 2), ofCommit: commit) }
    #expect(origins.areAll([300_000, 299_998], of: 0))
    #expect(!origins.areAll([300_000, 299_999], of: 0))
    #expect(!origins.areAll([5], of: 1))
    #expect(!origins.areAll([300_002], of: 0))
    #expect(!origins.areAll([], of: 0))
  }

  @Test("After a gap it begins anew")
  func gap() {
    var origins = RecentOrigins()
    origins.note(1, ofCommit: 1)
    origins.note(1, ofCommit: 5)
    #expect(origins.areAll([5], of: 1))
    #expect(!origins.areAll([1, 5], of: 1))
  }
}
