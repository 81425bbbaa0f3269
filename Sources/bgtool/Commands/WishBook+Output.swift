// The records of this program's wishes, with its own way of telling a person what is wrong with them.
import BackgroundURLSession
import Downloads

extension WishBook {
    init(session: String) throws {
        let store = try WishStore(folder: BackgroundService.wishesFolder()) { damaged in
            Output.tell(
                "A record of a transfer could not be read (\(damaged.reason)); it is kept as "
                    + "\(damaged.setAside).")
        }
        self.init(session: session, store: store) { Output.complain("\($0)") }
    }

    func sweep(stillThere tasks: [BackgroundTaskStatus]) { sweep(stillThere: Set(tasks.compactMap(\.name))) }
}
