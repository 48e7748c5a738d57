internal import Files

/// One message of a client and what is still owed for it: the reply of a single call, or the list of replies
/// of a batch.
final class Exchange {
  let isBatch: Bool
  /// Bytes of the message, which its calls keep alive.
  let messageBytes: Int
  /// Calls without their outcome yet.
  private(set) var outstanding: Int
  private var replies: [[UInt8]?]
  /// Bytes of the replies that there are.
  private(set) var replyBytes = 0
  /// Goes with the reply.
  var descriptor: OwnedDescriptor?
  /// To be fed once the reply is out.
  var subscriptions: [Subscription] = []

  init(calls: Int, isBatch: Bool, messageBytes: Int) {
    self.isBatch = isBatch
    self.messageBytes = messageBytes
    outstanding = calls
    replies = Array(repeating: nil, count: calls)
  }

  /// The outcome of the call at that place: its reply, or nil for a notification.
  func settle(_ index: Int, _ reply: [UInt8]?) {
    replies[index] = reply
    replyBytes += reply?.count ?? 0
    outstanding -= 1
  }

  /// The replies that there are, in the order of the calls.
  var answers: [[UInt8]] { replies.compactMap { $0 } }
}

/// A first-in, first-out queue.
struct Queue<Element> {
  private var elements: [Element?] = []
  private var head = 0

  var isEmpty: Bool { head == elements.count }
  var count: Int { elements.count - head }
  var first: Element? { isEmpty ? nil : elements[head] }

  mutating func append(_ element: Element) { elements.append(element) }

  mutating func popFirst() -> Element? {
    guard head < elements.count else { return nil }
    let element = elements[head]
    elements[head] = nil
    head += 1
    if head == elements.count {
      elements.removeAll(keepingCapacity: elements.capacity <= 64)
      head = 0
    } else if head >= 64, head * 2 >= elements.count {
      elements.removeFirst(head)
      head = 0
    }
    return element
  }

  mutating func removeAll() {
    elements = []
    head = 0
  }
}
