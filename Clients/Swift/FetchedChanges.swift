public import JSONRPC

/// Which changes are wanted, and since when: the parameters of `fetchChanges`.
public struct ChangesRequest: Sendable {
  /// From the page before, or any change token; nil: everything that there is, as `created`.
  public var since: String?
  /// nil: every zone.
  public var zoneName: String?
  /// nil: every type.
  public var recordType: String?
  /// The fields that records carry; nil: all.
  public var desiredKeys: [String]?
  /// Changes carry the values from before.
  public var includesPrevious = false
  /// The most changes of a page; nil: the service's default.
  public var resultsLimit: Int?
  public var container: String?
  public var database: String?

  public init(since: String? = nil) {
    self.since = since
  }

  var parameters: [(String, JSONNode)] {
    var members: [(String, JSONNode)] = []
    if let since { members.append(("since", .string(since))) }
    if let zoneName { members.append(("zoneName", .string(zoneName))) }
    if let recordType { members.append(("recordType", .string(recordType))) }
    if let desiredKeys { members.append(("desiredKeys", .array(desiredKeys.map { .string($0) }))) }
    if includesPrevious { members.append(("includePrevious", true)) }
    if let resultsLimit { members.append(("resultsLimit", .int(Int64(resultsLimit)))) }
    for (name, value) in [("container", container), ("database", database)] {
      if let value { members.append((name, .string(value))) }
    }
    return members
  }
}

/// A page of the changes since a token.
public struct FetchedChanges: Sendable {
  /// The reply's `result`, as received.
  public let json: JSON
  /// The token was no longer good, and this is the first page of everything that there is: what is held and does
  /// not come until a page is the last one is gone.
  public var isReset = false

  public init(json: JSON) {
    self.json = json
  }

  /// `created`, `updated` and `deleted`.
  public var changes: [RecordChange] { (json["changes"]?.elements).map { $0.map(RecordChange.init) } ?? [] }
  /// Where to go on: with `fetchChanges`, and after the last page also with `subscribe`.
  public var changeToken: String { json["changeToken"]?.stringValue ?? "" }
  /// Another page follows, even if this one is empty.
  public var isContinued: Bool { json["moreComing"]?.boolValue ?? false }
  public var deletedZones: [String] {
    (json["deletedZones"]?.elements).map { $0.compactMap(\.stringValue) } ?? []
  }
}

/// The changes since a token, page after page, each fetched when it is asked for. A token that is no longer good
/// is never tried again: everything that there is follows instead, from a page with `isReset` on.
public struct ChangePages: AsyncSequence, Sendable {
  public typealias Element = FetchedChanges
  public typealias Failure = ClientError

  let request: ChangesRequest
  let connection: Connection

  public func makeAsyncIterator() -> Iterator { Iterator(request: request, connection: connection) }

  public struct Iterator: AsyncIteratorProtocol {
    private var request: ChangesRequest?
    private let connection: Connection

    init(request: ChangesRequest, connection: Connection) {
      self.request = request
      self.connection = connection
    }

    /// The next page; nil after the last.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(ClientError) -> FetchedChanges? {
      guard let request else { return nil }
      do throws(ClientError) {
        return advance(behind: try await connection.fetchChanges(request))
      } catch {
        guard request.since != nil, case .rejected(let failure) = error, failure.isExpiry else { throw error }
        self.request?.since = nil
      }
      guard let anew = self.request else { return nil }
      var page = try await connection.fetchChanges(anew)
      page.isReset = true
      return advance(behind: page)
    }

    private mutating func advance(behind page: FetchedChanges) -> FetchedChanges {
      request?.since = page.changeToken
      if !page.isContinued { request = nil }
      return page
    }
  }
}

extension Connection {
  /// One page of the changes since a token.
  public func fetchChanges(_ request: ChangesRequest) async throws(ClientError) -> FetchedChanges {
    FetchedChanges(json: try await call("fetchChanges", .object(request.parameters)))
  }

  /// All changes since a token, page after page.
  public func changePages(_ request: ChangesRequest) -> ChangePages {
    ChangePages(request: request, connection: self)
  }
}
