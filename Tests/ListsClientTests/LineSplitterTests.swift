import Testing

@testable import ListsClient

struct LineSplitterTests {
  private func events(of text: String, limit: Int, split sizes: [Int]) -> [LineSplitter.Event] {
    var splitter = LineSplitter(limit: limit)
    var events: [LineSplitter.Event] = []
    var rest = Array(text.utf8)[...]
    var index = 0
    while !rest.isEmpty {
      let piece = rest.prefix(max(1, sizes[index % sizes.count]))
      index += 1
      rest = rest.dropFirst(piece.count)
      Array(piece).withUnsafeBytes { splitter.append($0) }
      while let event = splitter.next() { events.append(event) }
    }
    return events
  }

  @Test("The same lines come out however the bytes are split")
  func everySplit() {
    let text = "{}\n\n{\"id\":1}\n" + String(repeating: "a", count: 40) + "\n[]\n"
    let whole = events(of: text, limit: 20, split: [text.utf8.count])
    #expect(
      whole == [
        .line(Array("{}".utf8)), .line(Array("{\"id\":1}".utf8)),
        .tooLarge(beginning: Array(repeating: 0x61, count: 40)), .line(Array("[]".utf8)),
      ])
    for size in 1..<text.utf8.count {
      let parts = events(of: text, limit: 20, split: [size, 1, 3])
      #expect(parts.count == 4)
      #expect(parts[0] == whole[0] && parts[1] == whole[1] && parts[3] == whole[3])
      guard case .tooLarge(let beginning) = parts[2] else {
        Issue.record("the long line came through")
        continue
      }
      #expect(beginning.count > 20)
    }
  }

  @Test("A line of exactly the limit is taken, one more byte is not")
  func limit() {
    #expect(events(of: "12345\n", limit: 5, split: [1]) == [.line(Array("12345".utf8))])
    #expect(events(of: "123456\n", limit: 5, split: [7]) == [.tooLarge(beginning: Array("123456".utf8))])
  }
}

struct MessageBeginningTests {
  @Test("The call or the subscription is told from a message's first bytes")
  func beginnings() {
    let reply = MessageBeginning(
      Array(#"{"jsonrpc":"2.0","id":12,"result":{"subscriptionID":"x","id":3"#.utf8))
    #expect(reply.number(after: "id") == 12)
    #expect(reply.string(after: "subscriptionID") == nil)
    let push = MessageBeginning(
      Array(#"{"jsonrpc":"2.0","method":"recordsChanged","params":{"subscriptionID":"4","seq":"#.utf8))
    #expect(push.number(after: "id") == nil)
    #expect(push.string(after: "subscriptionID") == "4")
  }
}
