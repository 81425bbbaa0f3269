// A machine that the test plugs in and out.
@testable import TransferService

@TransferActor
final class FakeConditions: ConditionSource {
    var now = MachineConditions()
    private(set) var looks = 0

    func look(_ report: @escaping @TransferActor @Sendable (MachineConditions) -> Void) {
        looks += 1
        report(now)
    }
}
