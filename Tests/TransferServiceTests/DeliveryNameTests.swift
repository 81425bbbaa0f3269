import Testing
import TransferStore

@testable import TransferService

@Suite struct DeliveryNameTests {
    @Test func twoTasksOfOneBodyHaveTwoLinks() {
        var first = Sample.task()
        first.key = 1
        var second = first
        second.key = 2
        #expect(DeliveryName(first).text != DeliveryName(second).text)
        #expect(DeliveryName(first).text.hasPrefix("CFNetworkDownload_"))
        #expect(DeliveryName.key(in: DeliveryName(second).text) == 2)
    }

    @Test(arguments: [
        "", "x", "CFNetworkDownload_", "CFNetworkDownload_x-y.tmp", "other_5-a.tmp", "CFNetworkDownload",
    ])
    func aNameOfAnotherMakingNamesNoTask(name: String) {
        #expect(DeliveryName.key(in: name) == nil)
    }
}
