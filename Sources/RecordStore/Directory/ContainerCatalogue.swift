internal import Glibc
internal import JSONRPC
internal import Records

/// Which folder belongs to which container: names that clients chose never become names of files.
///
/// Kept as a file `containers` of lines `[number,"name"]`, replaced as a whole. A file that can't be
/// understood is left as it is, and no other container than the default one can be reached.
struct ContainerCatalogue {
  private let root: String
  private let log: @Sendable (String) -> Void
  private var numbers: [Name: Int] = [:]
  private var isDamaged = false

  init(in root: String, log: @escaping @Sendable (String) -> Void) throws(RecordError) {
    self.root = root
    self.log = log
    guard let text = try Self.read(root + "/containers", log: log) else { return }
    if let numbers = Self.numbers(in: text) {
      self.numbers = numbers
    } else {
      isDamaged = true
      log("\(root)/containers is damaged; it is left as it is")
    }
  }

  private static func numbers(in text: [UInt8]) -> [Name: Int]? {
    var numbers: [Name: Int] = [:]
    for line in text.split(separator: UInt8(ascii: "\n")) {
      guard let json = try? JSON(parsing: Array(line)) else { return nil }
      let parts = Array(json.elements)
      guard parts.count == 2, let number = parts[0].int64Value, let name = parts[1].stringValue else {
        return nil
      }
      numbers[Name(name)] = Int(number)
    }
    return numbers
  }

  /// The folder's name under the root. A new container is entered first.
  mutating func folder(of container: String, atMost limit: Int) throws(RecordError) -> String {
    if container.hasSameUTF8(as: StoreID.defaultContainer) { return "default" }
    guard !isDamaged else { throw .storeDamaged }
    if let number = numbers[Name(container)] { return Self.folder(number) }
    guard numbers.count < limit else { throw .tooManyContainers(limit) }
    let number = (numbers.values.max() ?? 0) + 1
    var changed = numbers
    changed[Name(container)] = number
    try write(changed)
    numbers = changed
    return Self.folder(number)
  }

  static func folder(_ number: Int) -> String { "container-\(number)" }

  /// What the folder is called from when it begins to be removed.
  static func removedFolder(_ number: Int) -> String { "removed-\(number)" }

  /// The number in the name of such a folder.
  static func removedNumber(_ folder: String) -> Int? {
    let prefix = "removed-"
    guard folder.hasPrefix(prefix), let number = Int(folder.dropFirst(prefix.count)),
      folder == removedFolder(number)
    else { return nil }
    return number
  }

  /// In the order of their names; without the default one.
  func containers() throws(RecordError) -> [String] {
    guard !isDamaged else { throw .storeDamaged }
    return numbers.keys.map(\.text).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  /// Nil when there is no container of that name, or it is the default one.
  func number(of container: String) throws(RecordError) -> Int? {
    guard !isDamaged else { throw .storeDamaged }
    return numbers[Name(container)]
  }

  /// The container of that number, if there is one.
  func container(_ number: Int) -> String? { numbers.first { $0.value == number }?.key.text }

  /// Forgets the name, for good when it returns.
  mutating func remove(_ container: String) throws(RecordError) {
    var changed = numbers
    changed[Name(container)] = nil
    try write(changed)
    numbers = changed
  }

  private func write(_ numbers: [Name: Int]) throws(RecordError) {
    var text: [UInt8] = []
    for (name, number) in numbers.sorted(by: { $0.value < $1.value }) {
      var writer = JSONWriter()
      writer.beginArray()
      writer.int(number)
      writer.string(name.text)
      writer.endArray()
      text += writer.bytes + [UInt8(ascii: "\n")]
    }
    let path = root + "/containers"
    guard Folder.replace(path, with: text) else { throw Folder.failure(errno, path, log) }
  }

  /// Nil when there is no such file.
  private static func read(_ path: String, log: (String) -> Void) throws(RecordError) -> [UInt8]? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      if errno == ENOENT { return nil }
      throw Folder.failure(errno, path, log)
    }
    defer { close(descriptor) }
    var content: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65536)
    while true {
      let count = Glibc.read(descriptor, &chunk, chunk.count)
      if count == 0 { return content }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw Folder.failure(errno, path, log) }
      content += chunk[..<count]
    }
  }
}
