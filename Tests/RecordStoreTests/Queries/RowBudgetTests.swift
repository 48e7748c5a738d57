import Testing

@testable import RecordStore

struct RowBudgetTests {
  /// A clock that is set by hand.
  private final class Clock {
    var now: UInt64 = 1000
  }

  @Test("is spent after so many rows")
  func rows() {
    var budget = RowBudget(rows: 2)
    let isLeft1 = budget.spend(bytes: 10)
    #expect(isLeft1)
    let isLeft2 = budget.spend(bytes: 10)
    #expect(isLeft2)
    let isLeft3 = budget.spend(bytes: 10)
    #expect(!isLeft3)
    #expect(budget.isSpent)
  }

  @Test("is spent when its time is over, at the next look at the clock")
  func time() {
    let clock = Clock()
    var budget = RowBudget(rows: .max, nanoseconds: 500, clock: { clock.now })
    let isLeft4 = budget.spend(bytes: 100_000)
    #expect(isLeft4)
    clock.now = 1500
    let isLeft5 = budget.spend(bytes: 100_000)
    #expect(isLeft5)
    clock.now = 1501
    let isLeft6 = budget.spend(bytes: 100_000)
    #expect(!isLeft6)
    #expect(budget.isSpent)
  }

  @Test("looks at the clock after a bounded number of small rows")
  func smallRows() {
    let clock = Clock()
    var budget = RowBudget(rows: .max, nanoseconds: 500, clock: { clock.now })
    clock.now = 2000
    var rows = 0
    while budget.spend(bytes: 0) { rows += 1 }
    #expect(rows < 100)
  }

  @Test("is spent when it is stopped")
  func stopped() {
    var budget = RowBudget(rows: .max, isStopped: { true })
    let isLeft7 = budget.spend(entries: 1)
    #expect(!isLeft7)
  }

  @Test("is spent by a record that is costly, where that is not to be looked at")
  func costlyRow() {
    var budget = RowBudget(rows: .max, costlyRow: 1000)
    let takesSmall = budget.spend(bytes: 99, comparisons: 10)
    #expect(takesSmall)
    let takesLarge = budget.spend(bytes: 100, comparisons: 10)
    #expect(!takesLarge && budget.isSpent)
  }
}
