extension JSON {
  /// The elements of an array in their order; none for anything else.
  public var elements: Elements { Elements(array: self) }

  /// The elements of an array, read from the text as they are asked for.
  public struct Elements: Sequence, Sendable {
    let array: JSON

    /// Counted by reading the text.
    public var count: Int { reduce(0) { count, _ in count + 1 } }

    public var isEmpty: Bool {
      var iterator = makeIterator()
      return iterator.next() == nil
    }

    public func makeIterator() -> Iterator { Iterator(array: array) }

    public struct Iterator: IteratorProtocol, Sendable {
      private let array: JSON
      private var offset: Int

      init(array: JSON) {
        self.array = array
        offset = array.kind == .array ? array.start + 1 : array.end
      }

      public mutating func next() -> JSON? {
        let array = array
        let bytes = array.storage.span.extracting(first: array.end)
        guard let element = bytes.element(after: offset) else { return nil }
        offset = element.upperBound
        return array.value(at: element)
      }
    }
  }
}

extension Span where Element == UInt8 {
  /// The element after `offset`, which is behind the opening bracket or behind the element before. Nil at
  /// the closing bracket.
  @inline(__always)
  func element(after offset: Int) -> Range<Int>? {
    var start = endOfSpace(from: offset)
    if start < count, self[start] == Byte.comma { start = endOfSpace(from: start + 1) }
    guard start < count, self[start] != Byte.closeBracket else { return nil }
    let end = endOfValue(from: start)
    return end > start ? start..<end : nil
  }
}
