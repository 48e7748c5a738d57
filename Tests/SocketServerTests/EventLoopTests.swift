import CLinux
import Glibc
import ServiceFixture
import SocketServer
import Synchronization
import Testing

@Suite("Event loop")
struct EventLoopTests {
  @Test("work from other threads runs in order, on the loop's thread")
  func crossThreadWork() async throws {
    let server = try EchoServer()
    let loop = server.server.loop
    let seen = Mutex<[Int]>([])
    for number in 0..<1000 {
      loop.perform {
        seen.withLock { $0.append(loop.isOnLoop ? number : -1) }
      }
    }
    _ = await server.ask { _ in true }
    #expect(seen.withLock { $0 } == Array(0..<1000))
    #expect(!loop.isOnLoop)
  }

  @Test("timers fire in the order of their times, cancelled ones not at all")
  func timers() async throws {
    let server = try EchoServer()
    let loop = server.server.loop
    let fired = Mutex<[Int]>([])
    await withCheckedContinuation { continuation in
      loop.perform {
        loop.schedule(after: .milliseconds(30)) {
          fired.withLock { $0.append(3) }
          continuation.resume()
        }
        loop.schedule(after: .milliseconds(10)) { fired.withLock { $0.append(1) } }
        let cancelled = loop.schedule(after: .milliseconds(15)) { fired.withLock { $0.append(2) } }
        loop.cancel(cancelled)
      }
    }
    #expect(fired.withLock { $0 } == [1, 3])
  }

  @Test("a descriptor removed by another's action in the same turn is not called any more")
  func staleEvents() throws {
    let loop = try EventLoop()
    let pipes = [try Pipe(), try Pipe()]
    let watches = Mutex<[EventLoop.Watch]>([])
    let calls = Mutex(0)
    for pipe in pipes {
      let watch = try loop.watch(pipe.readEnd, for: EPOLLIN.rawValue) { _ in
        calls.withLock { $0 += 1 }
        for watch in watches.withLock({ $0 }) { loop.remove(watch) }
        watches.withLock { $0 = [] }
        loop.perform { loop.stop() }
      }
      watches.withLock { $0.append(watch) }
    }
    for pipe in pipes { #expect(write(pipe.writeEnd, "x", 1) == 1) }
    loop.run()
    #expect(calls.withLock { $0 } == 1)
  }

  @Test("an actor whose executor is the loop runs there, also when awaited from elsewhere")
  func executor() async throws {
    actor Confined {
      let loop: EventLoop
      nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
      init(_ loop: EventLoop) { self.loop = loop }
      func isOnLoop() -> Bool { loop.isOnLoop }
    }
    let server = try EchoServer()
    #expect(await Confined(server.server.loop).isOnLoop())
  }
}
