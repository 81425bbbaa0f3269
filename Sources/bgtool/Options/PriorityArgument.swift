// A task's priority, 0 to 1.

struct PriorityArgument: ArgumentValue, Equatable {
    let priority: Float

    init(argument: String) throws(InvalidValue) {
        guard let priority = Float(argument), (0...1).contains(priority) else {
            throw InvalidValue("write a number from 0 to 1, such as 0.75.")
        }
        self.priority = priority
    }
}
