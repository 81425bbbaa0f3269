// `on` or `off`.

struct SwitchArgument: ArgumentValue, Equatable {
    let isOn: Bool

    init(argument: String) throws(InvalidValue) {
        switch argument {
        case "on": isOn = true
        case "off": isOn = false
        default: throw InvalidValue("it is neither 'on' nor 'off'.")
        }
    }
}
