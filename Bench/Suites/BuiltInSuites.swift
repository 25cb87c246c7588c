/// The suites that are built into the program. To add a suite, add a YAML file to this folder, a line here,
/// and its name in Package.swift.
public enum BuiltInSuites {
  /// The YAML text of each suite in UTF-8, by the suite's name.
  public static let texts: [String: [UInt8]] = [
    "compare": PackageResources.compare_yml,
    "once": PackageResources.once_yml,
    "peers": PackageResources.peers_yml,
    "quick": PackageResources.quick_yml,
    "scenes": PackageResources.scenes_yml,
    "standard": PackageResources.standard_yml,
    "tune": PackageResources.tune_yml,
    "variable": PackageResources.variable_yml,
  ]
}
