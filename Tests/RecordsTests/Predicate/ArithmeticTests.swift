import Testing

@testable import Records

struct ArithmeticTests {
  @Test("integers are exact while they fit 64 bits, and doubles beyond", arguments: [31] as [UInt64])
  func integers(seed: UInt64) {
    var generator = SplitMix64(seed: seed)
    let edges: [Int64] = [
      0, 1, -1, 2, -2, 3, 10, 1 << 31, 1 << 53 + 1, .max, .max - 1, .min, .min + 1, 3_037_000_500,
    ]
    for _ in 0..<5000 {
      let left = edges.randomElement(using: &generator) ?? 0
      let right =
        Bool.random(using: &generator)
        ? edges.randomElement(using: &generator) ?? 0 : Int64(bitPattern: generator.next())
      for operation in [Predicate.ArithmeticOperation.add, .subtract, .multiply, .divide, .remainder] {
        let result = operation.result(.int64(left), .int64(right))
        guard let exact = Self.exact(operation, Int128(left), Int128(right)) else {
          #expect(result == nil, "\(left) \(operation) \(right)")
          continue
        }
        if let integer = Int64(exactly: exact) {
          #expect(result == .int64(integer), "\(left) \(operation) \(right)")
        } else if case .double(let double) = result {
          #expect(
            abs(double - Double(exact)) <= abs(Double(exact)) * 0x1p-51, "\(left) \(operation) \(right)")
        } else {
          Issue.record("\(left) \(operation) \(right)")
        }
      }
    }
  }

  private static func exact(_ operation: Predicate.ArithmeticOperation, _ left: Int128, _ right: Int128)
    -> Int128?
  {
    switch operation {
    case .add: left + right
    case .subtract: left - right
    case .multiply: left * right
    case .divide: right == 0 ? nil : left / right
    case .remainder: right == 0 ? nil : left % right
    case .power: nil
    }
  }

  @Test("powers of integers are exact while they fit")
  func powers() {
    for base: Int64 in -12...12 {
      var exact: Int128 = 1
      for exponent: Int64 in 0...70 {
        let result = Predicate.ArithmeticOperation.power.result(.int64(base), .int64(exponent))
        if let integer = Int64(exactly: exact) {
          #expect(result == .int64(integer), "\(base) ** \(exponent)")
        } else {
          guard case .double(let double) = result else {
            Issue.record("\(base) ** \(exponent)")
            continue
          }
          #expect(abs(double) > 9e18, "\(base) ** \(exponent)")
        }
        let (next, overflow) = exact.multipliedReportingOverflow(by: Int128(base))
        exact = overflow ? .max : next
      }
    }
  }

  @Test(
    "no operation traps or gives what is no value, whatever the sides",
    arguments: Predicate.ArithmeticOperation.allCases)
  func anySides(operation: Predicate.ArithmeticOperation) {
    for left in SampleValues.all {
      for right in SampleValues.all {
        switch operation.result(left, right) {
        case nil, .int64: break
        case .double(let double): #expect(double.isFinite, "\(left) \(operation) \(right)")
        case .date(let date): #expect(DateText.range.contains(date), "\(left) \(operation) \(right)")
        case .some(let other): Issue.record("\(left) \(operation) \(right) gives \(other)")
        }
      }
      #expect(operation.result(left, nil) == nil)
      #expect(operation.result(nil, left) == nil)
    }
  }

  @Test("what is cast is of the type, or null", arguments: Predicate.CastType.allCases)
  func casts(type: Predicate.CastType) {
    for value in SampleValues.all {
      switch (type, type.cast(value)) {
      case (_, nil), (.date, .date), (.number, .int64), (.number, .double), (.text, .string): break
      case (_, .some(let other)): Issue.record("\(value) as \(type) gives \(other)")
      }
    }
    #expect(type.cast(nil) == nil)
  }

  @Test("a number and a date come back from their texts")
  func castsThereAndBack() {
    for value in SampleValues.numbers {
      #expect(Predicate.CastType.number.cast(Predicate.CastType.text.cast(value)) == value)
    }
    for date: Int64 in [0, -1, 1, 1_796_000_000_123, DateText.range.lowerBound, DateText.range.upperBound] {
      #expect(Predicate.CastType.date.cast(Predicate.CastType.text.cast(.date(date))) == .date(date))
    }
  }
}
