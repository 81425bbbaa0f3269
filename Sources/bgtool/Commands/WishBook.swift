// `Downloads`' store as this program uses it: what each of its transfers is for.
import BackgroundURLSession
import Downloads
import Foundation

enum WishBook {
    static func open() throws -> WishStore {
        try WishStore(folder: BackgroundService.wishesFolder()) { damaged in
            Output.tell(
                "A record of a transfer could not be read (\(damaged.reason)); it is kept as \(damaged.setAside)."
            )
        }
    }
}
