// The line to the delegate's queue, which is the app's and does as the app says.
import Foundation
import Testing

@testable import BackgroundURLSession

@Suite struct DeliveriesTests {
    @Test func anAppThatCancelsItsQueuesOperationsStillHearsEverything() async throws {
        let queue = OperationQueue()
        queue.isSuspended = true
        let deliveries = Deliveries(queue: queue)
        let heard = Guarded<[Int]>([])
        for number in 1...2 { deliveries.append { heard.with { $0.append(number) } } }
        queue.cancelAllOperations()
        queue.isSuspended = false
        deliveries.append { heard.with { $0.append(3) } }
        try await poll { heard.with { $0.count } == 3 }
        #expect(heard.with { $0 } == [1, 2, 3])
    }
}
