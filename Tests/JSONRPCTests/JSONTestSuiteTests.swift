import Foundation
import JSONRPC
import Testing

/// The public parsing suite: Tests/JSONTestSuite.
@Suite struct JSONTestSuiteTests {
  /// What the standard leaves open, decided. Numbers of any size are kept as their digits; text that is
  /// not valid UTF-8, or stands for half a surrogate pair, could not come back unchanged; a byte order mark
  /// is not JSON (RFC 8259, section 8.1).
  static let decisions: [String: Bool] = [
    "i_number_double_huge_neg_exp": true,
    "i_number_huge_exp": true,
    "i_number_neg_int_huge_exp": true,
    "i_number_pos_double_huge_exp": true,
    "i_number_real_neg_overflow": true,
    "i_number_real_pos_overflow": true,
    "i_number_real_underflow": true,
    "i_number_too_big_neg_int": true,
    "i_number_too_big_pos_int": true,
    "i_number_very_big_negative_int": true,
    "i_structure_500_nested_arrays": true,
    "i_object_key_lone_2nd_surrogate": false,
    "i_string_1st_surrogate_but_2nd_missing": false,
    "i_string_1st_valid_surrogate_2nd_invalid": false,
    "i_string_incomplete_surrogate_and_escape_valid": false,
    "i_string_incomplete_surrogate_pair": false,
    "i_string_incomplete_surrogates_escape_valid": false,
    "i_string_invalid_lonely_surrogate": false,
    "i_string_invalid_surrogate": false,
    "i_string_inverted_surrogates_U+1D11E": false,
    "i_string_lone_second_surrogate": false,
    "i_string_UTF-8_invalid_sequence": false,
    "i_string_UTF8_surrogate_U+D800": false,
    "i_string_invalid_utf-8": false,
    "i_string_iso_latin_1": false,
    "i_string_lone_utf8_continuation_byte": false,
    "i_string_not_in_unicode_range": false,
    "i_string_overlong_sequence_2_bytes": false,
    "i_string_overlong_sequence_6_bytes": false,
    "i_string_overlong_sequence_6_bytes_null": false,
    "i_string_truncated-utf-8": false,
    "i_string_UTF-16LE_with_BOM": false,
    "i_string_utf16BE_no_BOM": false,
    "i_string_utf16LE_no_BOM": false,
    "i_structure_UTF-8_BOM_empty_object": false,
  ]

  static let files: [URL] = {
    let folder = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../JSONTestSuite/test_parsing").standardized
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return names.sorted().map { folder.appending(path: $0) }
  }()

  @Test("every file of the public suite is accepted or refused as it must be")
  func verdicts() throws {
    #expect(Self.files.count == 318)
    for file in Self.files {
      let name = file.deletingPathExtension().lastPathComponent
      let isAccepted = (try? JSON(parsing: [UInt8](Data(contentsOf: file)))) != nil
      switch name.prefix(2) {
      case "y_": #expect(isAccepted, "\(name)")
      case "n_": #expect(!isAccepted, "\(name)")
      default: #expect(Self.decisions[name] == isAccepted, "\(name)")
      }
    }
  }

  @Test("every accepted file comes back unchanged, as text and as a tree")
  func roundTrips() throws {
    for file in Self.files {
      guard let json = try? JSON(parsing: [UInt8](Data(contentsOf: file))) else { continue }
      let node = JSONNode(json)
      #expect(JSONNode(try JSON(parsing: node.encoded())) == node, "\(file.lastPathComponent)")
      var writer = JSONWriter()
      writer.raw(json)
      #expect(writer.bytes == Array(json.bytes))
    }
  }
}
