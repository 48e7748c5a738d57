internal import Files
internal import JSONRPC
internal import RecordStore
internal import Records

extension Session {
  /// How far a call came.
  enum Performed {
    /// Its reply, nil for a notification, the subscription to be fed behind it, and the descriptor that goes
    /// with it.
    case answered([UInt8]?, Subscription? = nil, OwnedDescriptor? = nil)
    /// To be called with the place that waits for the outcome.
    case underWay((Exchange, Int) -> Void)
  }

  func perform(_ call: Call, with descriptor: OwnedDescriptor?) -> Performed {
    switch call {
    case .invalid(let id, let error): .answered(Reply.error(id: id, error))
    case .request(let request): perform(request, with: descriptor)
    }
  }

  /// Its batch's replies are long enough already.
  func refuseForLength(_ call: Call) -> Performed {
    guard case .request(let request) = call else { return perform(call, with: nil) }
    let limit = service.limits.maximumReplyBytes
    let error = RecordError.limit(
      "maximumReplyBytes", limit, actual: nil,
      "the batch's replies would be longer than \(limit) bytes; nothing was done for this request")
    return .answered(request.id.map { Reply.error(id: $0, RPCError(error)) })
  }

  private func perform(_ request: Request, with descriptor: OwnedDescriptor?) -> Performed {
    guard let method = MethodTable.method(named: request.method) else {
      let error = RPCError.methodNotFound(request.method, known: MethodTable.names)
      return .answered(request.id.map { Reply.error(id: $0, error) })
    }
    do throws(RecordError) {
      if service.isStopping { throw .stopping }
      var invocation = Invocation(
        session: self, arguments: try Arguments(request.params, of: method), descriptor: descriptor)
      var reply = ReplyWriter(id: request.id)
      let progress = try method.begin(&invocation, &reply.writer)
      return carryOn(progress, request, &reply)
    } catch {
      return .answered(reply(to: request, with: error))
    }
  }

  /// What is to be done after a method, or a part of it, is through.
  private func carryOn(_ progress: Progress, _ request: Request, _ reply: inout ReplyWriter) -> Performed {
    switch progress {
    case .done: return .answered(reply.finish())
    case .passing(let descriptor): return .answered(reply.finish(), nil, descriptor)
    case .subscribed(let subscription): return .answered(reply.finish(), subscription)
    case .write(let database, let write, let finish):
      return .underWay { [self] exchange, index in
        writesUnderWay += 1
        database.submit(write, for: PendingCall(self, request, exchange, index, .write(finish)))
      }
    case .read(let database, let read, let finish):
      return .underWay { [self] exchange, index in
        isHeldUp = true
        database.submit(read, for: PendingCall(self, request, exchange, index, .read(finish)))
      }
    case .work(let work):
      return .underWay { [self] exchange, index in
        isHeldUp = true
        if service.submit(work, for: PendingCall(self, request, exchange, index, .work(work))) { return }
        isHeldUp = false
        settle(exchange, index, self.reply(to: request, with: .noThread))
      }
    }
  }

  /// The error reply of a request that failed; nil for a notification.
  private func reply(to request: Request, with error: RecordError) -> [UInt8]? {
    service.logFailure(error, method: request.method, caller: caller)
    return request.id.map { Reply.error(id: $0, RPCError(error)) }
  }

  // MARK: Outcomes

  /// The outcome of what went to a store's thread.
  func complete(_ call: PendingCall, with outcome: Outcome) {
    switch call.rest {
    case .write: writesUnderWay -= 1
    case .read, .work: isHeldUp = false
    }
    let reply: [UInt8]?
    do throws(RecordError) {
      reply = try call.reply(to: outcome)
    } catch {
      reply = self.reply(to: call.request, with: error)
    }
    settle(call.exchange, call.index, reply)
    if !isClosed { advance() }
  }

  /// Goes on with a call whose work is done.
  func completeWork(_ call: PendingCall) {
    guard case .work(let work) = call.rest else { return }
    isHeldUp = false
    switch performRest(of: call, after: work) {
    case .answered(let reply, _, let descriptor):
      settle(call.exchange, call.index, reply, with: descriptor)
    case .underWay(let start): start(call.exchange, call.index)
    }
    if !isClosed { advance() }
  }

  private func performRest(of call: PendingCall, after work: Work) -> Performed {
    do throws(RecordError) {
      var reply = ReplyWriter(id: call.request.id)
      let progress = try work.finish(&reply.writer)
      if case .passing = progress, call.exchange.isBatch { throw .descriptorInBatch }
      return carryOn(progress, call.request, &reply)
    } catch {
      return .answered(reply(to: call.request, with: error))
    }
  }
}

extension RecordError {
  fileprivate static var noThread: RecordError {
    RecordError(
      .serviceUnavailable, "the service has no thread for this at present; try again", retryAfter: 1)
  }

  fileprivate static var descriptorInBatch: RecordError {
    RecordError(
      .invalidArguments, "a descriptor can't go with a batch's replies; send the request alone",
      details: [RecordError.Detail("parameter", "descriptor")])
  }
}
