import Glibc
import Synchronization

/// The order that a person expects of a list of names: `Åland` among A, `Côte d'Ivoire` among C.
///
/// ICU's root collation (CLDR), which suits most languages. The library is loaded when it is first needed,
/// so that a start doesn't pay for it, and may be missing. Safe to use from any thread.
public final class Collator: Sendable {
  /// Changes when sort keys do: keys kept from another version must be made anew.
  public let version: String

  private let library: ICU
  // Guarded by being constant: ICU allows any number of threads to use a collator that nobody changes.
  private nonisolated(unsafe) let collator: OpaquePointer

  private static let loaded = Mutex<Collator?>(nil)

  /// The collator, loaded by the first call. Throws `serviceUnavailable` when no usable ICU is installed; a
  /// later call tries again.
  public static func shared() throws(RecordError) -> Collator {
    try loaded.withLock { (loaded: inout Collator?) throws(RecordError) -> Collator in
      if let loaded { return loaded }
      guard let library = ICU.load(), let collator = Collator(library) else {
        throw RecordError(
          .serviceUnavailable,
          "localized sorting needs the ICU library, which is not installed (on Debian: libicu72)")
      }
      loaded = collator
      return collator
    }
  }

  private init?(_ library: ICU) {
    var status: Int32 = 0
    guard let collator = library.open("", &status), status <= 0 else { return nil }
    var version: (UInt8, UInt8, UInt8, UInt8) = (0, 0, 0, 0)
    self.version = withUnsafeMutableBytes(of: &version) { bytes in
      if let start = bytes.baseAddress { library.getVersion(collator, start) }
      return "ICU \(library.version), " + bytes.map { "\($0)" }.joined(separator: ".")
    }
    self.library = library
    self.collator = collator
  }

  deinit { library.close(collator) }

  /// Bytes that are ordered as the texts are; equal for texts that differ in nothing a reader would see.
  /// They hold no zero byte.
  public func sortKey(_ text: String) -> [UInt8] {
    let units = Array(text.utf16)
    var capacity = units.count * 4 + 16
    while true {
      var needed = 0
      let key = [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
        needed = Int(
          library.getSortKey(collator, units, Int32(units.count), buffer.baseAddress, Int32(capacity)))
        count = needed <= capacity ? max(needed - 1, 0) : 0  // without the closing zero
      }
      if needed <= capacity { return key }
      capacity = needed
    }
  }
}

/// The functions of libicui18n that are used here, found at run time: their names carry the version of the
/// library, so that linking would tie the program to one.
private struct ICU: Sendable {
  typealias Open = @convention(c) (UnsafePointer<CChar>, UnsafeMutablePointer<Int32>) -> OpaquePointer?
  typealias Close = @convention(c) (OpaquePointer) -> Void
  typealias GetVersion = @convention(c) (OpaquePointer, UnsafeMutableRawPointer) -> Void
  typealias GetSortKey =
    @convention(c) (
      OpaquePointer, UnsafePointer<UInt16>?, Int32, UnsafeMutablePointer<UInt8>?, Int32
    ) -> Int32

  let version: Int
  let open: Open
  let close: Close
  let getVersion: GetVersion
  let getSortKey: GetSortKey

  /// The newest version that is installed; Debian 12 has 72.
  static func load() -> ICU? {
    for version in stride(from: 99, through: 60, by: -1) {
      guard let handle = dlopen("libicui18n.so.\(version)", RTLD_NOW | RTLD_LOCAL) else { continue }
      if let library = ICU(handle, version) { return library }
      dlclose(handle)
    }
    return nil
  }

  private init?(_ handle: UnsafeMutableRawPointer, _ version: Int) {
    guard let open = dlsym(handle, "ucol_open_\(version)"),
      let close = dlsym(handle, "ucol_close_\(version)"),
      let getVersion = dlsym(handle, "ucol_getVersion_\(version)"),
      let getSortKey = dlsym(handle, "ucol_getSortKey_\(version)")
    else { return nil }
    self.version = version
    // The types are those of ICU's unicode/ucol.h, unchanged since its version 2.
    self.open = unsafeBitCast(open, to: Open.self)
    self.close = unsafeBitCast(close, to: Close.self)
    self.getVersion = unsafeBitCast(getVersion, to: GetVersion.self)
    self.getSortKey = unsafeBitCast(getSortKey, to: GetSortKey.self)
  }
}
