import Records

/// Which record of the database: its zone and name, so short that a million of them can be kept. Two that differ are
/// the same once in 2⁶⁴.
struct RecordKey: Hashable {
  private let hash: Int

  init(zone: String, name: String) {
    var hasher = Hasher()
    // By their bytes: texts that look alike are two names.
    for text in [zone, name] {
      hasher.combine(text.utf8.count)
      for byte in text.utf8 { hasher.combine(byte) }
    }
    hash = hasher.finalize()
  }

  /// A record whose name the service makes.
  init(unnamed number: Int) {
    var hasher = Hasher()
    hasher.combine(number)
    hash = hasher.finalize()
  }
}
