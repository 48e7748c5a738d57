/// libFuzzer's entry. Compiled by run.sh together with the sources of JSONRPC.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  Invariants.check(Array(UnsafeBufferPointer(start: start, count: count)))
  return 0
}
