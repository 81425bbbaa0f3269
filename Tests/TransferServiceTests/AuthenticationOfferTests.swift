import Testing

@testable import TransferService

@Suite struct AuthenticationOfferTests {
    @Test(arguments: [
        (#"Basic realm="a b""#, ["basic:a b"]),
        (#"basic REALM=plain"#, ["basic:plain"]),
        (
            #"Digest realm="x, y=\"z\"", nonce="n==", qop="auth,auth-int", Basic realm="r""#,
            [#"digest:x, y="z""#, "basic:r"]
        ),
        ("Negotiate", ["negotiate:-"]),
        ("NTLM TlRMTVNTUAAC==, Basic realm=r", ["ntlm:-", "basic:r"]),
        ("Bearer", ["bearer:-"]),
        ("Basic", ["basic:-"]),
        (", ,Basic realm = r", ["basic:r"]),
        (#"Basic realm="never closed"#, ["basic:never closed"]),
        (#"realm="nobody's""#, []),
        ("", []),
        ("=,=\"", []),
    ])
    func everyOfferOfAFieldIsRead(field: String, offers: [String]) {
        #expect(AuthenticationOffer.read(field).map { "\($0.scheme):\($0.realm ?? "-")" } == offers)
    }

    @Test func theStrongestComesFirstAndEachOnce() {
        let usable = AuthenticationOffer.usable([
            "Basic realm=one", "Bearer", "Digest realm=two, nonce=n", "Digest realm=three, nonce=n",
        ])
        #expect(usable.map(\.scheme) == ["digest", "basic"])
        #expect(usable.first?.realm == "two")
        #expect(AuthenticationOffer.usable(["Bearer", "Negotiate"]).isEmpty)
    }
}
