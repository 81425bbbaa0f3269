// What the environment may set, and what is said of a word that is no number.
import Foundation
import Testing

@testable import TransferService

@Suite struct ServiceSettingsTests {
    @Test(arguments: ["-1", "many", "99999999999999999999", "5 ", "1.5", "0x10"])
    func `a count that is none is passed over and said, with its name, its value and what is taken`(
        word: String
    ) throws {
        let environment = ["URLSESSIOND_CLIENT_TASKS": word]
        #expect(ServiceSettings.clientTasks.value(environment) == 100_000)
        let complaints = ServiceSettings.complaints(environment)
        #expect(
            complaints == [
                "URLSESSIOND_CLIENT_TASKS='\(word)' is not a number from 0 to 9223372036854775807; it is as if "
                    + "100000 were said"
            ])
    }

    @Test(arguments: ["-0.1", "nan", "inf", "1e10", "soon"])
    func `seconds that no clock could count are passed over`(word: String) {
        let environment = ["URLSESSIOND_IDLE_SECONDS": word]
        #expect(ServiceSettings.idleSeconds.value(environment) == 60)
        #expect(
            ServiceSettings.complaints(environment) == [
                "URLSESSIOND_IDLE_SECONDS='\(word)' is not a number from 0 to 1000000000; it is as if 60 were said"
            ])
    }

    @Test func `a number that is taken, and a word that says nothing, are no cause to complain`() {
        let environment = [
            "URLSESSIOND_IDLE_SECONDS": "0.5", "URLSESSIOND_WAKE_SECONDS": "0",
            "URLSESSIOND_VISIT_SECONDS": "",
            "URLSESSIOND_PARTIAL_BYTES": "9223372036854775807", "URLSESSIOND_CLIENT_BYTES": "7",
        ]
        #expect(ServiceSettings.complaints(environment) == [])
        #expect(ServiceSettings.idleSeconds.value(environment) == 0.5)
        #expect(ServiceSettings.visitSeconds.value(environment) == 30)
        #expect(ServiceSettings.partialBytes.value(environment) == .max)
        #expect(ServiceSettings.clientBytes.value(environment) == 7)
    }

    @Test func `every number of the environment is looked at`() {
        let names = [
            "IDLE_SECONDS", "PARTIAL_BYTES", "CLIENT_TASKS", "CLIENT_BYTES", "WAKE_SECONDS",
            "WAKE_CAP_SECONDS",
            "VISIT_SECONDS",
        ].map { "URLSESSIOND_" + $0 }
        let environment = Dictionary(uniqueKeysWithValues: names.map { ($0, "x") })
        #expect(
            ServiceSettings.complaints(environment).map { $0.prefix { $0 != "=" } } == names.map { $0[...] })
    }
}
