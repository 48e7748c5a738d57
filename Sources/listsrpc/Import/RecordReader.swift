import JSONRPC

/// Makes records of the rows of one import.
struct RecordReader {
  let mapping: RowMapping
  /// Where rows of their own form are told by; nil for this service's own form and plain objects.
  private var form: (any RecordForm)?
  private let findsForm: Bool
  private var isFirst = true
  private let operationType: String
  /// Makes names where the rows have none, the same each time; nil: the service is to make them.
  private let nameSeed: String?

  /// - Parameters:
  ///   - format: The format that was asked for; nil to find it out from the first row.
  ///   - operationType: `modifyRecords`' own.
  ///   - numbers: What numbers become, of forms that don't say.
  init(
    _ mapping: RowMapping, format: RowFormat?, className: String?, operationType: String, nameSeed: String?,
    numbers: NumberTypes? = nil
  ) {
    self.mapping = mapping
    self.operationType = operationType
    self.nameSeed = nameSeed
    self.className = className
    self.numbers = numbers
    findsForm = format == nil || format == .json
    switch format {
    case .cloudkit: form = CloudKitForm()
    case .parse: form = ParseForm(className: className, numbers: numbers)
    default: form = nil
    }
  }

  private let className: String?
  private var numbers: NumberTypes?

  var notes: [String] { form?.notes ?? [] }

  /// The record of a row; nil when there is nothing to import in it.
  ///
  /// - Parameters:
  ///   - number: The row's, from 1.
  ///   - names: The names of all records of the import, where the mapping needs them.
  mutating func read(
    _ row: JSON, number: Int64, place: String, names: Set<String>, keepsRow: Bool
  ) throws(RowMapping.Fault) -> ImportItem? {
    findForm(of: row)
    var source = row
    var operation = operationType
    if form != nil {
      guard let foreign = try form?.read(row) else { return nil }
      source = foreign.record
      operation = foreign.operationType ?? operation
    }
    let seed = nameSeed
    let record = try mapping.record(for: source, names: names) { seed.map { Self.name($0, number) } }
    return ImportItem(record: record, operationType: operation, place: place, row: keepsRow ? row : nil)
  }

  /// Sees from the first row what form they all have.
  mutating func findForm(of row: JSON) {
    if isFirst, findsForm { form = RecordForms.found(in: row, className: className, numbers: numbers) }
    isFirst = false
  }

  /// Looks through all rows for what their numbers are to be, where their form doesn't say; as far as they can be read.
  mutating func learnNumbers(from rows: some RowSource) {
    guard var numbers else { return }
    var form: ParseForm?
    while let row = try? rows.next() {
      guard case .value(let value, _) = row else { continue }
      if form == nil {
        var copy = self
        copy.findForm(of: value)
        form = copy.form as? ParseForm
      }
      guard let form else { return }
      form.note(value, in: &numbers)
    }
    self.numbers = numbers
    if self.form != nil { self.form = ParseForm(className: className, numbers: numbers) }
  }

  /// A UUID (version 8) made of an import and the number of a row.
  static func name(_ seed: String, _ number: Int64) -> String {
    let digits = String(number, radix: 16)
    let low = String(repeating: "0", count: max(0, 12 - digits.count)) + digits
    let head = Array(seed.utf8.prefix(18)).map { Character(UnicodeScalar($0)) }
    return
      "\(String(head[0..<8]))-\(String(head[8..<12]))-8\(String(head[12..<15]))-8\(String(head[15..<18]))-\(low)"
  }
}
