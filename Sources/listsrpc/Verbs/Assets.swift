import ArgumentParsing
import Files
import Glibc
import JSONRPC
import ListsClient
import Records

enum Assets: Verb {
  static let command = Command(
    "asset", "Save or get files beside the records",
    discussion: [
      "An asset is a file that fields of records have as their value, named by the SHA-256 of its content. 'asset put "
        + "FILE...' saves files and prints what to give to a field; one that no record is given goes after an hour. "
        + "'asset get CHECKSUM', or 'asset get RECORD FIELD', writes the file to standard output, or to --output.",
      "'listsrpc save TYPE key=@FILE' saves a file and the record that has it.",
    ],
    options: [
      Option("output", letter: "o", takes: "FILE", completion: .file, "With get: where to write it"),
      Option("zone", letter: "z", takes: "NAME", "With get: the record's zone (default: _defaultZone)"),
    ],
    operands: [
      Operand("ACTION", "What to do", completion: .choices(["get", "put"])),
      Operand(
        "WHAT", "put: files, or - for standard input; get: a checksum, or a record's name and a field",
        count: .some, completion: .file),
    ],
    examples: [
      .init("listsrpc save Lists --name home photo=@picture.jpg", "A record with a picture"),
      .init("listsrpc asset get home photo -o copy.jpg", "The picture"),
    ])

  static func run(_ arguments: Arguments, _ session: Session) async throws(Failure) {
    let words = Array(arguments.operands.dropFirst())
    switch arguments.operands[0] {
    case "put":
      for name in ["output", "zone"] where arguments.value(name) != nil {
        throw Failure(usage: "--\(name) goes with 'get' only", verb: command.name)
      }
      for path in words {
        let value = try await session.saveAsset(path).fieldValue.encoded()
        try session.output.writeLine(value)
        try session.output.flush()
      }
    case "get" where words.count <= 2:
      try await get(words, arguments, session)
    case "get":
      throw Failure(usage: "'get' takes a checksum, or a record's name and a field", verb: command.name)
    case let action: throw Failure(usage: "'\(action)' is none of get, put", verb: command.name)
    }
  }

  private static func get(
    _ words: [String], _ arguments: Arguments, _ session: Session
  ) async throws(Failure) {
    let path = arguments.value("output")
    if path == nil, session.output.isTerminal {
      throw Failure(
        usage: "a file is not for the terminal: name one with --output, or send it into a pipe",
        verb: command.name)
    }
    let checksum: String
    if words.count == 2 {
      checksum = try await asset(ofField: words[1], words[0], arguments, session).checksum
    } else {
      checksum = words[0]
      guard arguments.value("zone") == nil else {
        throw Failure(usage: "--zone goes with a record's name", verb: command.name)
      }
    }
    let file = try await session.fetchAsset(checksum)
    do throws(ClientError) {
      if let path { try write(file, to: path) } else { try file.write(to: STDOUT_FILENO) }
    } catch .file(let reason) {
      throw .trouble("'\(path ?? "standard output")' \(reason)")
    } catch {
      throw .client(error)
    }
  }

  private static func asset(
    ofField field: String, _ recordName: String, _ arguments: Arguments, _ session: Session
  ) async throws(Failure) -> Asset {
    var params: [(String, JSONNode)] = [
      ("recordName", .string(recordName)), ("desiredKeys", .array([.string(field)])),
    ]
    if let zone = arguments.value("zone") { params.append(("zoneName", .string(zone))) }
    let reply = try await session.call("fetchRecord", params)
    guard let value = reply["record"]?["fields"]?[field] else {
      throw .trouble("the record '\(recordName)' has no field '\(field)'")
    }
    if let asset = Asset(fieldValue: value) { return asset }
    let listed = value.kind == .array ? value.elements.compactMap { Asset(fieldValue: $0) } : []
    guard listed.count == 1 else {
      throw .trouble(
        listed.isEmpty
          ? "the field '\(field)' has no asset"
          : "the field '\(field)' has \(listed.count) assets: name one by its checksum, \(listed[0].checksum) say"
      )
    }
    return listed[0]
  }

  /// Puts a whole file in the place of one that is there, or nothing.
  private static func write(_ file: AssetFile, to path: String) throws(ClientError) {
    var status = stat()
    let isNamed = stat(path, &status) != 0 || status.st_mode & S_IFMT == S_IFREG
    let draft = isNamed ? "\(path).\(getpid()).part" : path
    let flags = isNamed ? O_WRONLY | O_CREAT | O_EXCL : O_WRONLY
    guard let descriptor = OwnedDescriptor(opening: draft, flags, mode: 0o666) else {
      throw .file(reason: "can't be written: \(String(cString: strerror(errno)))")
    }
    do throws(ClientError) {
      try file.write(to: descriptor.rawValue)
      if isNamed, rename(draft, path) != 0 {
        throw .file(reason: "can't be written: \(String(cString: strerror(errno)))")
      }
    } catch {
      if isNamed { unlink(draft) }
      throw error
    }
  }
}
