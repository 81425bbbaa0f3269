// What became of a file that arrived. A value.

public enum Settlement: Sendable {
    /// It is what it should be, and in place.
    case placed(String)
    /// It is what it should be; its wish names no place, and its bytes lie there until somebody was told.
    case arrived(String)
    /// It is what it should be; nobody asked for a file.
    case unwanted
    /// It is not the file. `keptAt`: where it is, if its wish asked for that.
    case rejected(DownloadError, keptAt: String?)
    /// It could not be put in place, or nobody knows where. Leave it with the service: it can still be had.
    case stuck(DownloadError)
}
