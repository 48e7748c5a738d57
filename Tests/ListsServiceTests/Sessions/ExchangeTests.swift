import Testing

@testable import ListsService

struct ExchangeTests {
  @Test("The replies of a batch stand in the order of its calls, notifications left out")
  func order() {
    let exchange = Exchange(calls: 3, isBatch: true, messageBytes: 10)
    exchange.settle(2, [3])
    exchange.settle(0, [1, 1])
    #expect(exchange.outstanding == 1)
    exchange.settle(1, nil)
    #expect(exchange.outstanding == 0)
    #expect(exchange.answers == [[1, 1], [3]])
    #expect(exchange.replyBytes == 3)
  }

  @Test("A queue gives back what it was given, in order, however it grows and shrinks")
  func queue() {
    var queue = Queue<Int>()
    var next = 0
    var expected = 0
    for round in 1...200 {
      for _ in 0..<round {
        queue.append(next)
        next += 1
      }
      for _ in 0..<(round % 3 == 0 ? queue.count : round / 2) {
        #expect(queue.first == expected)
        let taken = queue.popFirst()
        #expect(taken == expected)
        expected += 1
      }
      #expect(queue.count == next - expected)
      #expect(queue.isEmpty == (next == expected))
    }
  }
}
