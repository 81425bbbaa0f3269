// Values by themselves: what is taken, what is refused, and with which remedy.

import Foundation
import Testing

@testable import bgtool

struct ValueTests {
    func reason<Value: ArgumentValue>(_ text: String, as type: Value.Type) -> String {
        do {
            _ = try Value(argument: text)
            return "accepted"
        } catch {
            return error.reason
        }
    }

    @Test(arguments: [
        "http://h", "https://h/x?y=%20#z", "HTTP://h/x", "http://[::1]:80/x", "http://u:p@h:65535/",
        "http://127.0.0.1:8765/audiobook", "https://h/a+b/c;d=1,2?sig=a%2Fb%3D",
    ])
    func `an address is taken exactly as written`(text: String) throws {
        #expect(try AddressArgument(argument: text).url.absoluteString == text)
    }

    @Test(arguments: [
        ("", "it is empty"), ("http://h/a b", "write each space as %20"), (" http://h", "raw space"),
        ("http://h/%zz", "write a percent sign itself as %25"), ("http://h/100%", "as %25"),
        ("http://h/a%2", "as %25"), ("http:///x", "it names no host"), ("http://", "it names no host"),
        ("ftp://h/x", "the scheme 'ftp'"), ("file:///etc/passwd", "the scheme 'file'"),
        ("h/x", "does not begin with http:// or https://"), ("localhost:8765/x", "does not begin"),
        ("http:foo", "does not begin"), ("http://h:abc/", "host or port cannot be read"),
        ("http://h:99999/", "there is no port 99999"), ("http://h/\u{E4}", "write it as %C3%A4"),
        ("http://h/a|b", "write it as %7C"), ("http://h/a\nb", "line break"),
        ("http://h/[a]", "host or port"),
    ])
    func `a bad address is refused with its remedy`(text: String, part: String) {
        #expect(reason(text, as: AddressArgument.self).contains(part))
    }

    @Test func `a refused address is named in the error`() {
        #expect(
            message("start", "http://h/a b")
                == "The value 'http://h/a b' is invalid for '<url>': "
                + "it contains a raw space; write each space as %20.")
    }

    @Test(arguments: [
        ("A: 1", "A", "1"), ("X-Y:\t v w \t", "X-Y", "v w"), ("Empty:", "Empty", ""),
        ("Time: 10:30", "Time", "10:30"), ("!#$%&'*+-.^_`|~: x", "!#$%&'*+-.^_`|~", "x"),
    ])
    func `a header is split at its first colon and trimmed`(text: String, name: String, value: String)
        throws
    {
        let header = try HeaderArgument(argument: text)
        #expect(header.name == name && header.value == value)
    }

    @Test(arguments: [
        ("Name", "no colon"), (": v", "nothing stands before the colon"), ("A b: v", "' '"),
        ("A : v", "' '"), ("N\u{E4}: v", "'\u{E4}'"), ("A: x\r\nB: y", "line break"),
        ("A: x\rB", "line break"), ("A: x\nB", "line break"), ("A\r\n: x", "'\\r'"),
        ("A: \u{0}", "control character"),
    ])
    func `a bad header is refused`(text: String, part: String) {
        #expect(reason(text, as: HeaderArgument.self).contains(part))
    }

    @Test(arguments: [("0", 0), ("2", 2), ("0.25", 0.25), ("1e3", 1000)])
    func `seconds are a number of zero or more`(text: String, seconds: Double) throws {
        #expect(try SecondsArgument(argument: text).seconds == seconds)
    }

    @Test(arguments: [
        ("-1", "cannot be negative"), ("nan", "not a number"), ("inf", "not a number"),
        ("5s", "not a number"), ("", "not a number"), ("1e400", "not a number"), ("1e18", "too long"),
    ])
    func `other seconds are refused`(text: String, part: String) {
        #expect(reason(text, as: SecondsArgument.self).contains(part))
    }

    @Test func `a SHA-256 has 64 hexadecimal digits of any case`() throws {
        let digits = String(repeating: "0123456789abcdeF", count: 4)
        #expect(try SHA256Argument(argument: digits).hex == digits.lowercased())
        #expect(reason("abc", as: SHA256Argument.self).contains("this has 3"))
        #expect(reason(digits + "0", as: SHA256Argument.self).contains("this has 65"))
        #expect(reason("g" + digits.dropFirst(), as: SHA256Argument.self).contains("other than"))
        #expect(reason("\u{FF10}", as: SHA256Argument.self).contains("other than"))
    }

    @Test func `names, sessions and files cannot be empty or break a line`() {
        #expect(reason("", as: LabelArgument.self).contains("empty"))
        #expect(reason("a\nb", as: LabelArgument.self).contains("line break"))
        #expect(reason("a\u{2028}b", as: LabelArgument.self).contains("line break"))
        #expect(reason("a b", as: LabelArgument.self) == "accepted")
        #expect(reason("", as: FileArgument.self).contains("empty"))
        #expect(reason("-", as: FileArgument.self).contains("name a file"))
    }
}

@Suite struct SecretTests {
    @Test(arguments: [
        ("http://h/a b?x=SECRET", "http://h/a b?…"), ("ftp://u:SECRET@h/p#SECRET", "ftp://…@h/p#…"),
        ("http://u:SECRET@h:port", "http://…@h:port"), ("http://h/@a", "http://h/@a"), ("moon", "moon"),
        ("http://h/?", "http://h/?…"), ("SECRET?x@y://", "SECRET?…"),
    ])
    func `an address that is refused is shown without its secrets`(address: String, shown: String) {
        #expect(AddressArgument.shown(address) == shown)
    }

    @Test(arguments: [
        ("Authorization Bearer SECRET", "Authorization …"), ("Bad Name: SECRET", "Bad …"),
        ("X-Key:", "X-Key:"),
        (": SECRET", ":…"), ("X", "X"),
    ])
    func `a field that is refused is shown without its value`(field: String, shown: String) {
        #expect(HeaderArgument.shown(field) == shown)
    }
}

@Suite struct MomentTests {
    @Test func `a moment is seconds from now or a date with its zone`() throws {
        let now = Date()
        #expect(abs(try MomentArgument(argument: "90").date.timeIntervalSince(now) - 90) < 30)
        #expect(
            try MomentArgument(argument: "2027-01-31T06:00:00Z").date
                == MomentArgument(argument: "2027-01-31T07:00:00+01:00").date)
    }

    @Test(arguments: ["", "tomorrow", "-1", "nan", "1e300", "2027-01-31", "2027-13-01T00:00:00Z"])
    func `what is no moment is refused`(text: String) {
        #expect(throws: InvalidValue.self) { try MomentArgument(argument: text) }
    }

    @Test(arguments: ["-0.1", "1.1", "nan", "high", ""])
    func `what is no priority is refused`(text: String) {
        #expect(throws: InvalidValue.self) { try PriorityArgument(argument: text) }
    }
}
