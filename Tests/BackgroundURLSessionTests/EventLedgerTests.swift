import Testing

@testable import BackgroundURLSession

@Suite struct EventLedgerTests {
    private func key(_ sequence: Int64, task: Int = 1) -> EventLedger.Key {
        EventLedger.Key(sequence: sequence, task: task)
    }

    @Test func anEventIsDeliveredOnceAndAcknowledgedAsOftenAsItComes() {
        var ledger = EventLedger()
        #expect(ledger.receive(key(1)) == .deliver)
        #expect(ledger.receive(key(1)) == .ignore)
        ledger.didAcknowledge(key(1))
        #expect(ledger.receive(key(1)) == .acknowledgeAgain)
    }

    @Test func aKeptEventIsNeitherToldNorAcknowledgedAgain() {
        var ledger = EventLedger()
        #expect(ledger.receive(key(1)) == .deliver)
        ledger.didKeep(key(1))
        #expect(ledger.receive(key(1)) == .withholdAgain)
    }

    @Test func aServiceThatBeganToCountAnewIsHeard() {
        var ledger = EventLedger()
        #expect(ledger.receive(key(1, task: 1)) == .deliver)
        ledger.didAcknowledge(key(1, task: 1))
        #expect(ledger.receive(key(1, task: 2)) == .deliver)
    }

    @Test func itDoesNotGrowForEver() {
        var ledger = EventLedger()
        for sequence in 1...Int64(30_000) {
            #expect(ledger.receive(key(sequence)) == .deliver)
            ledger.didAcknowledge(key(sequence))
        }
        #expect(ledger.receive(key(30_000)) == .acknowledgeAgain)
        #expect(ledger.receive(key(1)) == .deliver)
    }
}
