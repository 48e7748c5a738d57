internal import JSONRPC
public import Records
internal import SQLite

/// Gathers the records that a page's records refer to.
struct Inclusion {
  private let paths: [FieldPath]
  private let maximumRecords: Int
  private let maximumBytes: Int
  private let maximumBytesOfOne: Int
  private(set) var records: [IncludedRecord] = []
  private var known: Set<[UInt8]> = []
  /// Of the page's records and of those that they refer to.
  private var bytes = 0

  /// Why a record's references were not all gathered.
  private enum Halt: Error {
    case tooMuch
    case ended
    case failed(SQLiteError)
  }

  init(_ query: Query) {
    paths = query.include
    maximumRecords = query.maximumIncluded
    maximumBytes = query.maximumBytes
    // As long as a reply, where a page is half of one.
    maximumBytesOfOne = query.maximumBytesOfOne ?? query.maximumBytes * 2
  }

  /// Gathers for the records of a page, in their order; how many of them there is room for, at least one.
  /// `matches` fails with `limitExceeded` when there is no room for what a single record refers to.
  mutating func gather(
    for page: [StoredRecord], _ matches: inout MatchScan
  ) throws(SQLiteError) -> Int {
    for (place, record) in page.enumerated() {
      let before = records.count
      bytes += record.body.bytes.count
      if place > 0, bytes > maximumBytes { return place }
      do throws(Halt) {
        for path in paths {
          try follow(path.components[...], of: record, isCounting: path.countsElements, place == 0, &matches)
        }
      } catch {
        switch error {
        case .failed(let error): throw error
        case .ended: return 0
        case .tooMuch where place == 0:
          matches.fail(.includesTooMuch(record, maximumRecords: maximumRecords))
          return 0
        case .tooMuch:
          records.removeSubrange(before...)
          return place
        }
      }
    }
    return page.count
  }

  /// Takes the way into other records as far as it goes.
  private mutating func follow(
    _ components: ArraySlice<String>, of record: StoredRecord, isCounting: Bool, _ isFirst: Bool,
    _ matches: inout MatchScan
  ) throws(Halt) {
    if isCounting { return }
    for end in components.indices {
      guard let path = FieldPath(Array(components[...end])) else { return }
      let references = Self.references(record.value(at: path))
      if references.isEmpty { continue }
      let rest = components[(end + 1)...]
      for reference in references {
        let zone = reference.zoneName ?? record.zoneName
        if rest.isEmpty {
          try include(reference.recordName, zone, isFirst, &matches)
        } else if let next = try read(reference.recordName, zone, &matches) {
          try follow(rest, of: next, isCounting: false, isFirst, &matches)
        }
      }
      return
    }
  }

  private static func references(_ value: FieldValue?) -> [Reference] {
    switch value {
    case .reference(let reference): [reference]
    case .list(let elements): elements.flatMap { references($0) }
    default: []
    }
  }

  private mutating func include(
    _ recordName: String, _ zoneName: String, _ isFirst: Bool, _ matches: inout MatchScan
  ) throws(Halt) {
    guard known.insert(IndexKey.tie(recordName: recordName, zoneName: zoneName)).inserted else { return }
    let record = try read(recordName, zoneName, &matches)
    bytes += (record?.body.bytes.count ?? 0) + recordName.utf8.count + zoneName.utf8.count + 64
    guard records.count < maximumRecords, bytes <= (isFirst ? maximumBytesOfOne : maximumBytes) else {
      throw .tooMuch
    }
    records.append(IncludedRecord(recordName: recordName, zoneName: zoneName, record: record))
  }

  private func read(
    _ recordName: String, _ zoneName: String, _ matches: inout MatchScan
  ) throws(Halt) -> StoredRecord? {
    let record: StoredRecord?
    do {
      record = try matches.record(recordName, inZone: zoneName)
    } catch {
      throw .failed(error)
    }
    if matches.isEnded { throw .ended }
    return record
  }
}

extension RecordError {
  /// What a single record refers to is more than may come along with it.
  public static func includesTooMuch(_ record: StoredRecord, maximumRecords: Int) -> RecordError {
    RecordError(
      .limitExceeded,
      "the record '\(record.recordName)' alone refers to more than \(maximumRecords) records, or to more "
        + "than fits a message; leave out include and fetch them by name",
      details: [
        .init(name: "limitName", text: "maximumItems"), .init(name: "limit", number: maximumRecords),
      ])
  }
}
