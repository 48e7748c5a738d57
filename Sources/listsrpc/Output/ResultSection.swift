import JSONRPC

/// A run of a query's result under one heading.
struct ResultSection: Equatable {
  var name: String
  var indexTitle: String
  var numberOfRecords: Int
  /// The place of its first record in the whole result.
  var offset: Int

  init(name: String, indexTitle: String, numberOfRecords: Int, offset: Int) {
    self.name = name
    self.indexTitle = indexTitle
    self.numberOfRecords = numberOfRecords
    self.offset = offset
  }

  init(_ json: JSON) {
    self.init(
      name: json["name"]?.stringValue ?? "", indexTitle: json["indexTitle"]?.stringValue ?? "",
      numberOfRecords: Int(json["numberOfRecords"]?.int64Value ?? 0),
      offset: Int(json["offset"]?.int64Value ?? 0))
  }

  var node: JSONNode {
    [
      "name": .string(name), "indexTitle": .string(indexTitle),
      "numberOfRecords": .int(Int64(numberOfRecords)), "offset": .int(Int64(offset)),
    ]
  }

  /// Neighbours with the same index title as one section named by it, as an alphabet at a list's edge
  /// shows them.
  static func mergedByIndexTitle(_ sections: [ResultSection]) -> [ResultSection] {
    var merged: [ResultSection] = []
    for section in sections {
      if let last = merged.last, last.indexTitle == section.indexTitle {
        merged[merged.count - 1].numberOfRecords += section.numberOfRecords
      } else {
        var first = section
        first.name = section.indexTitle
        merged.append(first)
      }
    }
    return merged
  }

  /// The parts of a page that lie in each section: the section, and the range of the page's records.
  static func parts(
    of sections: [ResultSection], offset: Int, count: Int
  ) -> [(section: ResultSection, range: Range<Int>)] {
    sections.compactMap { section in
      let start = max(section.offset, offset)
      let end = min(section.offset + section.numberOfRecords, offset + count)
      return start < end ? (section, start - offset..<end - offset) : nil
    }
  }
}
