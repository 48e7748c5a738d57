/// A query's result, page after page, each fetched when it is asked for. Every record comes exactly once,
/// whatever others write meanwhile.
public struct QueryPages: AsyncSequence, Sendable {
  public typealias Element = QueryPage
  public typealias Failure = ClientError

  let request: QueryRequest
  let connection: Connection

  public func makeAsyncIterator() -> Iterator { Iterator(request: request, connection: connection) }

  public struct Iterator: AsyncIteratorProtocol {
    private var request: QueryRequest?
    private let connection: Connection

    init(request: QueryRequest, connection: Connection) {
      self.request = request
      self.connection = connection
    }

    /// The next page; nil after the last.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(ClientError) -> QueryPage? {
      guard var request else { return nil }
      let page = try await connection.query(request)
      request.cursor = page.cursor
      self.request = page.cursor == nil ? nil : request
      return page
    }
  }
}
