// How a call that breaks a rule of background sessions ends: Apple raises an exception, here the process
// ends with a message that names the rule. Never used for anything that input can reach.

/// Ends the process. `fatalError`, since a precondition's text is lost in release builds.
func refuse(_ rule: String) -> Never {
    fatalError("BackgroundURLSession: \(rule)")
}
