import Glibc
import JSONRPC

/// Files of the project, beside the tests.
enum ProjectFiles {
  static let root: String = {
    let parts = #filePath.split(separator: "/")
    return "/" + parts.dropLast(3).joined(separator: "/")
  }()

  static func bytes(_ path: String) throws -> [UInt8] {
    let descriptor = open("\(root)/\(path)", O_RDONLY)
    guard descriptor >= 0 else { throw ReadError(description: "cannot open \(path)") }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = read(descriptor, &chunk, chunk.count)
      guard count >= 0 else { throw ReadError(description: "cannot read \(path)") }
      if count == 0 { return bytes }
      bytes += chunk[..<count]
    }
  }

  static func json(_ path: String) throws -> JSONNode { JSONNode(try JSON(parsing: bytes(path))) }

  /// The names of the files of a folder with that ending, sorted.
  static func names(in folder: String, endingWith ending: String) -> [String] {
    guard let stream = opendir("\(root)/\(folder)") else { return [] }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafePointer(to: entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name.hasSuffix(ending) { names.append(name) }
    }
    return names.sorted()
  }

  struct ReadError: Error, CustomStringConvertible {
    let description: String
  }
}
