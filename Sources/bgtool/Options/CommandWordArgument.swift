// A word of a command that is to be run later: anything but a NUL, which no command line can hold.

struct CommandWordArgument: ArgumentValue, Equatable {
    let text: String

    init(argument: String) throws(InvalidValue) {
        guard !argument.contains("\0") else { throw InvalidValue("it contains a NUL; remove it.") }
        text = argument
    }
}
