import ArgumentParsing

/// What `listsd --print` prints, all of it made from the program's own tables.
enum PrintedText: String, CaseIterable {
  case manual = "listsd.8"
  case configurationManual = "lists.conf.5"
  case configuration = "lists.conf"

  var text: String {
    switch self {
    case .manual:
      ManualPage(
        CommandTable.listsd, section: 8, source: "Lists \(CommandTable.version)",
        seeAlso: ["lists.conf(5)", "listsrpc(1)", "systemd.socket(5)"]
      ).text
    case .configurationManual: Self.configurationPage
    case .configuration: Self.configurationFile
    }
  }

  private static var configurationFile: String {
    var text = """
      # Settings of listsd, see lists.conf(5). What stands here after a # is the default.
      # Have a running service read the file anew with 'systemctl reload lists' (--user for your own).

      """
    for setting in Setting.all {
      text += "\n# \(setting.meaning).\n#\(setting.name) = \(setting.text(Settings()))\n"
    }
    return text
  }

  private static var configurationPage: String {
    var lines = [
      ".\\\" Made from the program's table of settings; change it there.",
      ".TH LISTS.CONF 5 \"\" \"Lists \(CommandTable.version)\" \"\"",
      ".SH NAME", "lists.conf \\- settings of listsd",
      ".SH SYNOPSIS", "$XDG_CONFIG_HOME/lists/lists.conf", ".br", "/etc/lists/lists.conf",
      ".SH DESCRIPTION",
      "The first is read by a user\\(aqs own service, the second by the machine\\(aqs.",
      "A line is a name, an equals sign and a value; what follows a # is a comment.",
      "A name that is not known, or stands there twice, is an error.",
      ".PP",
      "The file is read at the start and when the service is told to (SIGHUP, \\fBsystemctl reload\\fR). With an",
      "error in it at that time the old settings stay, and the log says which line it is. With an error at the start",
      "a service that systemd started answers every request with \\fIserviceUnavailable\\fR until it is mended.",
      ".PP",
      "Bytes may be given as 64K, 16M or 1G. The limits are those that \\fIserverInfo\\fR lists.",
      ".SH SETTINGS",
    ]
    for setting in Setting.all {
      lines += [
        ".TP", "\\fB\(setting.name)\\fR = \\fI\(setting.text(Settings()))\\fR",
        "\(escaped(setting.meaning)): \(escaped(setting.form)).",
      ]
    }
    lines += [".SH SEE ALSO", "listsd(8)"]
    return lines.joined(separator: "\n") + "\n"
  }

  private static func escaped(_ text: String) -> String {
    text.replacing("\\", with: "\\e").replacing("-", with: "\\-").replacing("'", with: "\\(aq")
  }
}
