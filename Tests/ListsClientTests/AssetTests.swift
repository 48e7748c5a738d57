import CLinux
import Files
import Glibc
import JSONRPC
import ListsClient
import Records
import ServiceFixture
import Testing

@Suite("Assets over the client", .timeLimit(.minutes(5)))
struct AssetTests {
  let service: ListsdProcess
  let connection: Connection

  init() throws {
    service = try ListsdProcess()
    connection = try Connection(to: ServiceAddress(path: service.socketPath))
  }

  private func file(_ content: [UInt8]) throws -> String {
    let path = "\(service.folder.path)/file"
    let descriptor = try #require(OwnedDescriptor(opening: path, O_CREAT | O_TRUNC | O_WRONLY))
    try #require(write(descriptor.rawValue, content, content.count) == content.count)
    return path
  }

  private let content = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 8) }

  @Test("A file goes and comes as a descriptor, and has the same content")
  func file() async throws {
    let asset = try await connection.saveAsset(file: file(content))
    #expect(asset == Asset(checksum: SHA256.text(of: SHA256.digest(of: content)), size: 3_000_000))
    let fetched = try await connection.fetchAsset(asset.checksum)
    #expect(try fetched.read() == content)
    #expect(fcntl(fetched.descriptor.rawValue, F_GETFL) & O_ACCMODE == O_RDONLY)
    #expect(try await connection.saveAsset(content) == asset)
    let place = "\(service.folder.path)/copy"
    let copy = try #require(OwnedDescriptor(opening: place, O_CREAT | O_RDWR))
    try fetched.write(to: copy.rawValue)
    #expect(try await connection.saveAsset(from: copy) == asset)
  }

  @Test("Many at once each get their own")
  func concurrent() async throws {
    let connection = connection
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<64 {
        group.addTask {
          let bytes = Array("file \(number)".utf8)
          let asset = try await connection.saveAsset(bytes)
          _ = try await connection.call("echo", [.int(Int64(number))])
          #expect(try await connection.fetchAsset(asset.checksum).read() == bytes)
        }
      }
      try await group.waitForAll()
    }
  }

  @Test("Through something that passes bytes only it goes in parts")
  func relayed() async throws {
    var ends: [Int32] = [0, 0]
    try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
    let far = try LineConnection(to: service.socketPath, patience: 60_000)
    for (source, target) in [(ends[1], far.descriptor), (far.descriptor, ends[1])] {
      Thread.start {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while case let count = recv(source, &buffer, buffer.count, 0), count > 0 {
          var sent = 0
          while sent < count {
            let more = buffer[sent..<count].withUnsafeBytes {
              send(target, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if more <= 0 { return }
            sent += more
          }
        }
      }
    }
    let connection = try Connection(descriptor: ends[0])
    let asset = try await connection.saveAsset(content)
    #expect(asset.size == 3_000_000)
    #expect(try await connection.fetchAsset(asset.checksum).read() == content)
    #expect(try await connection.saveAsset([]).size == 0)
    withExtendedLifetime(far) {}
  }

  @Test("A pipe is read to its end, what can't be is told")
  func otherFiles() async throws {
    let pipe = try Pipe()
    #expect(write(pipe.writeEnd, "hello", 5) == 5)
    pipe.closeWriteEnd()
    let asset = try await connection.saveAsset(from: OwnedDescriptor(dup(pipe.readEnd)))
    #expect(asset.size == 5)
    for path in ["\(service.folder.path)/none", service.folder.path] {
      await #expect(throws: ClientError.self) { try await connection.saveAsset(file: path) }
    }
    await #expect(throws: ClientError.self) {
      try await connection.fetchAsset(String(repeating: "0", count: 64))
    }
  }

  @Test("A file that was damaged beside the service's back is not taken for the asset")
  func damaged() async throws {
    let asset = try await connection.saveAsset(Array("hello".utf8))
    let name = "\(asset.checksum.prefix(2))/\(asset.checksum)"
    try runToEnd(["bash", "-c", "printf HELLO > '\(service.stateDirectory)'/default/*.assets/\(name)"])
    let fetched = try await connection.fetchAsset(asset.checksum)
    #expect(throws: ClientError.self) { try fetched.read() }
  }
}

/// A detached thread.
private enum Thread {
  static func start(_ body: @escaping @Sendable () -> Void) {
    final class Box: Sendable {
      let body: @Sendable () -> Void
      init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }
    var thread = pthread_t()
    pthread_create(
      &thread, nil,
      { argument in
        if let argument { Unmanaged<Box>.fromOpaque(argument).takeRetainedValue().body() }
        return nil
      }, Unmanaged.passRetained(Box(body)).toOpaque())
    pthread_detach(thread)
  }
}
