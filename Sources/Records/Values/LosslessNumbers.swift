extension Double {
  /// The integer as a double; nil when digits would be lost.
  init?(keepingDigitsOf integer: Int64) {
    let value = Double(integer)
    guard Int64(exactly: value) == integer || value.hasShortestDigits(of: "\(integer)") else { return nil }
    self = value
  }

  /// Whether `text`, the decimal digits of an integer that rounds to this value, is what the shortest
  /// spelling of this value says too, its zeros written out. That is how programs print a double that has
  /// no fraction (JavaScript prints 2^69 as 590295810358705700000), so it was a double before it was text;
  /// other digits were meant as an integer.
  func hasShortestDigits(of text: some StringProtocol) -> Bool {
    func significant(_ digits: some StringProtocol) -> Substring {
      var digits = Substring(String(digits.filter { $0 >= "0" && $0 <= "9" }))
      while digits.hasSuffix("0") { digits.removeLast() }
      while digits.hasPrefix("0") { digits.removeFirst() }
      return digits
    }
    let mantissa = description.prefix { $0 != "e" }
    return significant(mantissa) == significant(text)
  }
}
