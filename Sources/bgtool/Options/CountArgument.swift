// A whole number of things: zero or more.

struct CountArgument: ArgumentValue, Equatable {
    let count: Int

    init(argument: String) throws(InvalidValue) {
        guard let number = Int(argument), number >= 0 else {
            throw InvalidValue("it is not a whole number; write 0 or more.")
        }
        count = number
    }
}
