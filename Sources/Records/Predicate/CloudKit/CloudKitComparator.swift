/// How a filter of CloudKit Web Services and CloudKit JS compares.
enum CloudKitComparator: String, CaseIterable {
  case equals = "EQUALS"
  case notEquals = "NOT_EQUALS"
  case lessThan = "LESS_THAN"
  case lessThanOrEquals = "LESS_THAN_OR_EQUALS"
  case greaterThan = "GREATER_THAN"
  case greaterThanOrEquals = "GREATER_THAN_OR_EQUALS"
  case near = "NEAR"
  case containsAllTokens = "CONTAINS_ALL_TOKENS"
  case `in` = "IN"
  case notIn = "NOT_IN"
  case containsAnyTokens = "CONTAINS_ANY_TOKENS"
  case listContains = "LIST_CONTAINS"
  case listContainsAny = "LIST_CONTAINS_ANY"
  case notListContains = "NOT_LIST_CONTAINS"
  case notListContainsAny = "NOT_LIST_CONTAINS_ANY"
  case beginsWith = "BEGINS_WITH"
  case notBeginsWith = "NOT_BEGINS_WITH"
  case listMemberBeginsWith = "LIST_MEMBER_BEGINS_WITH"
  case notListMemberBeginsWith = "NOT_LIST_MEMBER_BEGINS_WITH"
  case listContainsAll = "LIST_CONTAINS_ALL"
  case notListContainsAll = "NOT_LIST_CONTAINS_ALL"

  enum Shape {
    /// A value or a list.
    case any
    case single
    case list
    case text
    case location
    /// A text, or a list of texts.
    case words
  }

  /// What the value must be.
  var shape: Shape {
    switch self {
    case .equals, .notEquals: .any
    case .lessThan, .lessThanOrEquals, .greaterThan, .greaterThanOrEquals, .listContains, .notListContains:
      .single
    case .in, .notIn, .listContainsAny, .notListContainsAny, .listContainsAll, .notListContainsAll: .list
    case .beginsWith, .notBeginsWith, .listMemberBeginsWith, .notListMemberBeginsWith: .text
    case .near: .location
    case .containsAllTokens, .containsAnyTokens: .words
    }
  }

  /// The operation between the field and the value, and whether it is with an element of the field, with none
  /// of them, or not so. Nil where it is more than one comparison.
  var comparison: (operation: Predicate.Operation, quantifier: Predicate.Quantifier?, isNegated: Bool)? {
    switch self {
    case .equals: (.equal, nil, false)
    case .notEquals: (.notEqual, nil, false)
    case .lessThan: (.less, nil, false)
    case .lessThanOrEquals: (.lessOrEqual, nil, false)
    case .greaterThan: (.greater, nil, false)
    case .greaterThanOrEquals: (.greaterOrEqual, nil, false)
    case .in: (.in, nil, false)
    case .notIn: (.in, nil, true)
    case .listContains: (.equal, .anyElement, false)
    case .notListContains: (.equal, .noElement, false)
    case .listContainsAny: (.in, .anyElement, false)
    case .notListContainsAny: (.in, .noElement, false)
    case .beginsWith: (.beginsWith, nil, false)
    case .notBeginsWith: (.beginsWith, nil, true)
    case .listMemberBeginsWith: (.beginsWith, .anyElement, false)
    case .notListMemberBeginsWith: (.beginsWith, .noElement, false)
    case .near, .containsAllTokens, .containsAnyTokens, .listContainsAll, .notListContainsAll: nil
    }
  }
}
