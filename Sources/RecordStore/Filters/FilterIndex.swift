public import Records

/// Finds the filters that a changed record may concern, by what their predicates demand; never misses one, may
/// name too many.
///
/// A filter stands under the most telling of its predicate's conditions: keys that the value at one path must
/// have, or one such set for each alternative of an `OR`. A change looks up the values that the record had
/// before and has after at the paths that filters stand under. What that costs grows with those paths and with
/// the filters found, hardly with the filters there are.
public struct FilterIndex<Filter: Hashable> {
  private var table = FilterTable()
  private var numbers: [Filter: Int] = [:]
  private var filters: [Int: (filter: Filter, place: FilterPlace)] = [:]
  private var next = 0

  public init() {}

  public var isEmpty: Bool { filters.isEmpty }

  /// Takes a filter in; one that is there already is taken out first.
  /// - Parameters:
  ///   - recordType: Nil for records of every type.
  ///   - zoneName: Nil for every zone.
  ///   - predicate: Nil for every record.
  public mutating func insert(
    _ filter: Filter, recordType: String?, zoneName: String?, predicate: Predicate?
  ) {
    remove(filter)
    let place = table.insert(next, recordType: recordType, zoneName: zoneName, predicate: predicate)
    filters[next] = (filter, place)
    numbers[filter] = next
    next += 1
  }

  /// Takes a filter out, if it is there.
  public mutating func remove(_ filter: Filter) {
    guard let number = numbers.removeValue(forKey: filter), let known = filters.removeValue(forKey: number)
    else { return }
    table.remove(number, from: known.place)
  }

  /// In order of insertion, each once: those that match a record before or after one of the changes, and
  /// perhaps others.
  public mutating func candidates(for changes: [RecordChange]) -> [Filter] {
    table.numbers(for: changes).compactMap { filters[$0]?.filter }
  }
}
