import Foundation
import Testing

@testable import TransferService

@Suite struct DateAlarmTests {
    /// JSON has numbers that an Int has not: a client's begin date, a session's resource timeout.
    @Test(arguments: [1e300, -1e300, 9.3e18, -9.3e18, 253_402_300_800])
    @TransferActor func aDateThatNoClockReachesIsNoTrap(seconds: Double) {
        DateAlarm(SystemTime()) {}.consider(Date(timeIntervalSince1970: seconds))
    }
}
