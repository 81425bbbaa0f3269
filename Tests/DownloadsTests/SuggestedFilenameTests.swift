// File names from headers and addresses, with the results the RFCs ask for.

import Foundation
import Testing

@testable import Downloads

struct SuggestedFilenameTests {
    func name(_ header: String?, _ address: String = "http://h/fallback.bin") -> String {
        SuggestedFilename(contentDisposition: header, address: URL(string: address)).name
    }

    @Test(arguments: [
        // RFC 6266, section 5
        ("Attachment; filename=example.html", "example.html"),
        ("INLINE; FILENAME= \"an example.html\"", "an example.html"),
        ("attachment; filename*= UTF-8''%e2%82%ac%20rates", "€ rates"),
        ("attachment; filename=\"EURO rates\"; filename*=utf-8''%e2%82%ac%20rates", "€ rates"),
        ("attachment; filename*=utf-8''%e2%82%ac%20rates; filename=\"EURO rates\"", "€ rates"),
        // RFC 8187, section 3.2.3, and its predecessor's other charset
        ("attachment; filename*=UTF-8'en'%c2%a3%20rates", "£ rates"),
        ("attachment; filename*=iso-8859-1'en'%A3%20rates", "£ rates"),
        // quoted pairs, and separators inside quotes
        ("attachment; filename=\"a\\\"b.txt\"", "a\"b.txt"),
        ("attachment; filename=\"a;b=c.txt\"; x=y", "a;b=c.txt"),
        ("attachment; x=\"filename=no\"; filename=yes.txt", "yes.txt"),
        ("attachment;filename=a.txt;filename=b.txt", "a.txt"),
        ("attachment; filename=\"open.txt", "open.txt"),
        // plain names are not percent-decoded
        ("attachment; filename=\"a%20b.txt\"", "a%20b.txt"),
    ])
    func `a header's name is read by its RFC`(header: String, expected: String) {
        #expect(name(header) == expected)
    }

    @Test(arguments: [
        "attachment; filename=plain.txt; filename*=UTF-8''%ff%fe",
        "attachment; filename=plain.txt; filename*=koi8-r''%c1",
        "attachment; filename=plain.txt; filename*=nonsense",
        "attachment; filename=plain.txt; filename*=UTF-8''%2e%2e",
        "attachment; filename=plain.txt; filename*=UTF-8''",
    ])
    func `an extended name that cannot be used gives way to the plain one`(header: String) {
        #expect(name(header) == "plain.txt")
    }

    @Test(arguments: [
        ("attachment; filename=\"../../etc/passwd\"", "passwd"),
        ("attachment; filename=\"/etc/passwd\"", "passwd"),
        ("attachment; filename=\"C:\\\\dir\\\\file.txt\"", "file.txt"),
        ("attachment; filename*=UTF-8''..%2F..%2Fevil.sh", "evil.sh"),
        ("attachment; filename*=UTF-8''..%5C..%5Cevil.sh", "evil.sh"),
        ("attachment; filename*=UTF-8''..%2F%CC%81evil.sh", "\u{301}evil.sh"),
        ("attachment; filename*=UTF-8''a%0A%00%7F%C2%85b", "ab"),
        ("attachment; filename*=UTF-8''a%E2%80%AEgpj.exe", "agpj.exe"),
    ])
    func `a name cannot leave its folder or hide what it is`(header: String, expected: String) {
        let found = name(header)
        #expect(found == expected)
        #expect(!found.utf8.contains(UInt8(ascii: "/")))
    }

    @Test(arguments: [
        "attachment", "", ";;;=", "attachment; filename=", "attachment; filename=\"\"",
        "attachment; filename=..", "attachment; filename=\".\"", "attachment; filename=\"dir/\"",
        "attachment; filename=\"  \"",
    ])
    func `a header without a usable name gives way to the address`(header: String) {
        #expect(name(header) == "fallback.bin")
    }

    @Test(arguments: [
        ("http://h/a/b%20c.txt?x=/y#z/w", "b c.txt"), ("http://h/dir/", "dir"),
        ("http://h/a%2Fb", "b"), ("http://h/..%2F..%2Fevil", "evil"), ("http://h/%2E%2E", "download"),
        ("http://h/", "download"), ("http://h", "download"), ("http://h/%ff.bin", "%ff.bin"),
        ("http://h/%E2%82%AC", "€"), ("http://h/a%00b", "ab"),
    ])
    func `an address gives its last part, decoded`(address: String, expected: String) {
        #expect(name(nil, address) == expected)
    }

    @Test func `nothing at all gives the fallback`() {
        #expect(SuggestedFilename(address: nil).name == "download")
    }

    @Test func `a long name is cut to 255 bytes between characters and keeps its extension`() {
        let long = name("attachment; filename=\"\(String(repeating: "a", count: 300)).tar\"")
        #expect(long == String(repeating: "a", count: 251) + ".tar")
        let euros = String(repeating: "%E2%82%AC", count: 100)
        let wide = name("attachment; filename*=UTF-8''\(euros).txt")
        #expect(wide == String(repeating: "€", count: 83) + ".txt")
        #expect(wide.utf8.count == 253)
        let spaced = name("attachment; filename=\"\(String(repeating: "a", count: 254)) b\"")
        #expect(spaced == String(repeating: "a", count: 254), "no space is left at the end")
        let noStem = name("attachment; filename=\".\(String(repeating: "e", count: 300))\"")
        #expect(noStem.utf8.count == 255)
        let wideExtension = name("attachment; filename=\"a.\(String(repeating: "e", count: 300))\"")
        #expect(wideExtension == "a." + String(repeating: "e", count: 253))
    }
}
