extension JSON {
  /// The members of an object in the order of the text; none for anything else.
  public var members: Members { Members(object: self) }

  /// The value of the first member of that name; nil when there is none, or this is not an object.
  ///
  /// Names are compared by the bytes of their decoded UTF-8: `"\u0061"` is `"a"`, while `"é"` composed
  /// and decomposed are two names. Reads the text up to the member found.
  public subscript(_ name: String) -> JSON? {
    guard kind == .object else { return nil }
    let bytes = storage.span.extracting(first: end)
    let name = name.utf8.span
    var offset = start + 1
    while let (key, value) = bytes.member(after: offset) {
      offset = value.upperBound
      if bytes.isString(name, from: key.lowerBound, to: key.upperBound) {
        return self.value(at: value)
      }
    }
    return nil
  }

  /// One `"name": value` of an object.
  public struct Member: Sendable {
    /// The name as it is written: a string value.
    public let key: JSON
    public let value: JSON

    /// The decoded name.
    public var name: String { key.stringValue ?? "" }

    /// Whether the decoded name has exactly these UTF-8 bytes. Cheaper than comparing ``name``, and told
    /// apart by bytes where Swift's `==` of strings is not.
    public func isNamed(_ name: String) -> Bool { key.isString(name) }
  }

  /// The members of an object, read from the text as they are asked for.
  public struct Members: Sequence, Sendable {
    let object: JSON

    /// Counted by reading the text.
    public var count: Int { reduce(0) { count, _ in count + 1 } }

    public var isEmpty: Bool {
      var iterator = makeIterator()
      return iterator.next() == nil
    }

    public func makeIterator() -> Iterator { Iterator(object: object) }

    public struct Iterator: IteratorProtocol, Sendable {
      private let object: JSON
      private var offset: Int

      init(object: JSON) {
        self.object = object
        offset = object.kind == .object ? object.start + 1 : object.end
      }

      public mutating func next() -> Member? {
        let object = object
        let bytes = object.storage.span.extracting(first: object.end)
        guard let (key, value) = bytes.member(after: offset) else { return nil }
        offset = value.upperBound
        return Member(key: object.value(at: key), value: object.value(at: value))
      }
    }
  }
}

extension Span where Element == UInt8 {
  /// The name (with quotes) and value of the member after `offset`, which is behind the opening brace or
  /// behind the member before. Nil at the closing brace.
  @inline(__always)
  func member(after offset: Int) -> (key: Range<Int>, value: Range<Int>)? {
    var position = endOfSpace(from: offset)
    if position < count, self[position] == Byte.comma { position = endOfSpace(from: position + 1) }
    guard position < count, self[position] == Byte.quote else { return nil }
    let key = position..<endOfString(from: position)
    position = endOfSpace(from: key.upperBound)
    guard key.count >= 2, position < count, self[position] == Byte.colon else { return nil }
    position = endOfSpace(from: position + 1)
    let value = position..<endOfValue(from: position)
    guard !value.isEmpty else { return nil }
    return (key, value)
  }
}
