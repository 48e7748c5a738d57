import CLinux
import Glibc

/// Starts a program, in the environment of the test with `environment` over it (nil takes a variable
/// away), its standard streams as given (nil: /dev/null).
public func spawn(
  _ words: [String], environment: [String: String?] = [:], input: Int32? = nil, output: Int32? = nil,
  errors: Int32? = nil
) throws -> Int32 {
  var actions = posix_spawn_file_actions_t()
  posix_spawn_file_actions_init(&actions)
  defer { posix_spawn_file_actions_destroy(&actions) }
  for (stream, descriptor) in [(0, input), (1, output), (2, errors)] as [(Int32, Int32?)] {
    if let descriptor {
      posix_spawn_file_actions_adddup2(&actions, descriptor, stream)
    } else {
      posix_spawn_file_actions_addopen(&actions, stream, "/dev/null", stream == 0 ? O_RDONLY : O_WRONLY, 0)
    }
  }
  var arguments = words.map { strdup($0) } + [nil]
  var variables = merged(environment).map { strdup($0) } + [nil]
  defer { for word in arguments + variables { free(word) } }
  var process: Int32 = 0
  let failure = posix_spawnp(&process, words[0], &actions, nil, &arguments, &variables)
  guard failure == 0 else {
    throw FixtureError("can't start \(words[0]): \(String(cString: strerror(failure)))")
  }
  return process
}

private func merged(_ changes: [String: String?]) -> [String] {
  var variables: [String] = []
  var entry = environ
  while let text = entry.pointee {
    let variable = String(cString: text)
    let name = variable.prefix { $0 != "=" }
    if !changes.keys.contains(String(name)) { variables.append(variable) }
    entry += 1
  }
  for case (let name, let value?) in changes { variables.append("\(name)=\(value)") }
  return variables
}

/// How a program ended.
public struct Ending: Sendable, Equatable {
  /// The exit status, or nil when a signal ended it.
  public var status: Int32?
  /// The signal that ended it, or nil.
  public var signal: Int32?

  init(waitStatus: Int32) {
    let signalNumber = waitStatus & 0x7f
    status = signalNumber == 0 ? (waitStatus >> 8) & 0xff : nil
    signal = signalNumber == 0 ? nil : signalNumber
  }
}

/// Waits until a process that `spawn` started has ended.
@discardableResult
public func waitForEnd(of process: Int32) -> Ending {
  var status: Int32 = 0
  while waitpid(process, &status, 0) < 0 && errno == EINTR {}
  return Ending(waitStatus: status)
}

/// What a program printed, and how it ended.
public struct ProgramRun: Sendable {
  public var output: [UInt8]
  public var errors: [UInt8]
  public var ending: Ending
  public var outputText: String { String(decoding: output, as: UTF8.self) }
  public var errorText: String { String(decoding: errors, as: UTF8.self) }
}

/// Runs a program to its end with `input` on its standard input.
@discardableResult
public func runToEnd(_ words: [String], environment: [String: String?] = [:], input: [UInt8] = []) throws
  -> ProgramRun
{
  let (given, out, err) = (try Pipe(), try Pipe(), try Pipe())
  let process = try spawn(
    words, environment: environment, input: given.readEnd, output: out.writeEnd, errors: err.writeEnd)
  given.closeReadEnd()
  out.closeWriteEnd()
  err.closeWriteEnd()
  let streams = try exchange(input: input, to: given, reading: [out, err])
  return ProgramRun(output: streams[0], errors: streams[1], ending: waitForEnd(of: process))
}

/// Writes all of `input` and reads both outputs to their ends, none waiting for another.
private func exchange(input: [UInt8], to given: Pipe, reading pipes: [Pipe]) throws -> [[UInt8]] {
  signal(SIGPIPE, SIG_IGN)
  var written = 0
  var results = pipes.map { _ in [UInt8]() }
  var open = pipes.map { _ in true }
  var inputOpen = true
  var buffer = [UInt8](repeating: 0, count: 1 << 16)
  while inputOpen || open.contains(true) {
    if inputOpen && written == input.count {
      given.closeWriteEnd()
      inputOpen = false
      continue
    }
    var polls = zip(pipes, open).map { pollfd(fd: $1 ? $0.readEnd : -1, events: Int16(POLLIN), revents: 0) }
    polls.append(pollfd(fd: inputOpen ? given.writeEnd : -1, events: Int16(POLLOUT), revents: 0))
    guard poll(&polls, nfds_t(polls.count), -1) > 0 else { continue }
    for index in pipes.indices where polls[index].revents != 0 {
      let count = read(pipes[index].readEnd, &buffer, buffer.count)
      if count > 0 { results[index].append(contentsOf: buffer[..<count]) } else { open[index] = false }
    }
    if polls[pipes.count].revents != 0 {
      let count = input[written..<min(written + 4096, input.count)].withUnsafeBytes {
        write(given.writeEnd, $0.baseAddress, $0.count)
      }
      written = count > 0 ? written + count : input.count
    }
  }
  return results
}

/// A pipe whose ends are closed once, by hand or with the value.
public final class Pipe {
  public private(set) var readEnd: Int32
  public private(set) var writeEnd: Int32

  public init() throws {
    var ends: [Int32] = [-1, -1]
    guard clinux_pipe(&ends) == 0 else { throw FixtureError("pipe2 failed: \(errno)") }
    (readEnd, writeEnd) = (ends[0], ends[1])
  }

  public func closeReadEnd() {
    if readEnd >= 0 { close(readEnd) }
    readEnd = -1
  }

  public func closeWriteEnd() {
    if writeEnd >= 0 { close(writeEnd) }
    writeEnd = -1
  }

  deinit {
    closeReadEnd()
    closeWriteEnd()
  }
}
