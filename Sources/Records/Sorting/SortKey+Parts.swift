extension SortKey {
  /// The bytes of the first value's key in a key of several, ascending and null first; nil where there is no
  /// key of that form.
  public static func lengthOfFirst(in key: ArraySlice<UInt8>) -> Int? {
    var rest = key
    guard skip(&rest) else { return nil }
    return rest.startIndex - key.startIndex
  }

  /// Goes behind one value's key.
  private static func skip(_ rest: inout ArraySlice<UInt8>) -> Bool {
    guard let tag = rest.popFirst() else { return false }
    switch tag {
    case 0x00, Tag.innerNull: return true
    case Tag.boolean: return skip(1, &rest)
    case Tag.number: return skip(10, &rest)
    case Tag.date: return skip(8, &rest)
    case Tag.text, Tag.bytes, Tag.reference: return skipText(&rest)
    case Tag.location: return skip(16, &rest)
    case Tag.asset: return skipText(&rest) && skip(8, &rest)
    case Tag.list: return skipMembers(&rest, areNamed: false)
    case Tag.object: return skipMembers(&rest, areNamed: true)
    default: return false
    }
  }

  private static func skip(_ count: Int, _ rest: inout ArraySlice<UInt8>) -> Bool {
    guard rest.count >= count else { return false }
    rest.removeFirst(count)
    return true
  }

  /// Behind bytes in which 00 is 00 FF, and their end 00 01.
  private static func skipText(_ rest: inout ArraySlice<UInt8>) -> Bool {
    while let zero = rest.firstIndex(of: 0), zero + 1 < rest.endIndex {
      let next = rest[zero + 1]
      rest = rest[(zero + 2)...]
      if next == 0x01 { return true }
    }
    return false
  }

  private static func skipMembers(_ rest: inout ArraySlice<UInt8>, areNamed: Bool) -> Bool {
    while let next = rest.first, next != Tag.end {
      guard !areNamed || skipText(&rest), skip(&rest) else { return false }
    }
    return rest.popFirst() == Tag.end
  }
}
