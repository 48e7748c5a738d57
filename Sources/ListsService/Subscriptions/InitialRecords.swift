internal import RecordStore
internal import Records

/// How far a subscription was sent the records that there are.
///
/// They come in pages, by name, while others write. What the client holds is at any time all that matches up to
/// a name, as it was at one position: before it gets a page it is told what became of what it holds until that
/// was read. So nothing is missed, and nothing told twice.
struct InitialRecords {
  /// The position of which what the client holds is.
  var known: ChangeToken?
  /// The page that was read, and not sent yet.
  private(set) var page: Page?
  private var cursor: String?
  /// The last record sent.
  private var last: Place?

  /// A page as it is to be sent.
  struct Page {
    var records: [StoredRecord] = []
    var included: [IncludedRecord] = []
    /// Where the next one starts; nil when there is none.
    var cursor: String?
    /// The position of which it is.
    var changeToken: ChangeToken
    /// Zones that were gone when it was read, where nothing else tells of that.
    var deletedZones: [String] = []
  }

  private struct Place: Comparable {
    let recordName: String
    let zoneName: String

    static func < (left: Place, right: Place) -> Bool {
      if left.recordName.hasSameUTF8(as: right.recordName) {
        return left.zoneName.utf8.lexicographicallyPrecedes(right.zoneName.utf8)
      }
      return left.recordName.utf8.lexicographicallyPrecedes(right.recordName.utf8)
    }
  }

  /// The query for the next page.
  func nextPage(for subscription: Subscription, limit: Int) -> Query {
    let shape = subscription.shape
    let bounds = InclusionLimit(subscription.session.service.limits)
    var query = Query(
      recordType: shape.recordType, zoneName: shape.zoneName, predicate: shape.predicate ?? .everything,
      resultsLimit: limit, maximumBytes: 1 << 20, cursor: cursor, moment: subscription.definition.moment,
      include: shape.include)
    query.maximumIncluded = bounds.records
    query.maximumBytesOfOne = bounds.bytes
    return query
  }

  /// Keeps the page that was read.
  mutating func take(_ page: Page) {
    self.page = page
    if last == nil { known = page.changeToken }
  }

  /// Has an empty page be the last one. `zone` is named when it was gone before any record was sent, so that no
  /// change is told of it.
  mutating func takeEnd(at token: ChangeToken, ofZone zone: String?) {
    var page = Page(changeToken: token)
    if last == nil, let zone { page.deletedZones = [zone] }
    take(page)
  }

  /// From where changes have to be told before the page can be sent; nil when it can be.
  var tokenOfChangesBeforePage: ChangeToken? {
    guard let page, let known, known != page.changeToken else { return nil }
    return known.replaying(upTo: page.changeToken)
  }

  /// Whether the client holds, or held, the record: a change of another is in a page to come.
  func includes(_ change: RecordChange) -> Bool {
    guard let last else { return false }
    return Place(recordName: change.recordName, zoneName: change.zoneName) <= last
  }

  /// Notes that the page was sent.
  mutating func finishPage() {
    guard let page else { return }
    if let record = page.records.last {
      last = Place(recordName: record.recordName, zoneName: record.zoneName)
    }
    known = page.changeToken
    cursor = page.cursor
    self.page = nil
  }
}

extension InitialRecords.Page {
  /// What a query gave.
  init(_ page: QueryResult) {
    self.init(
      records: page.records, included: page.included, cursor: page.cursor, changeToken: page.changeToken)
  }
}
