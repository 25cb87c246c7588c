/// The suites inside the program. A new one is a file beside this, and a line here and in the manifest.
public enum BuiltInSuites {
  /// YAML texts by name, in UTF-8.
  public static let texts: [String: [UInt8]] = [
    "compare": PackageResources.compare_yml,
    "constants": PackageResources.constants_yml,
    "full": PackageResources.full_yml,
    "headroom": PackageResources.headroom_yml,
    "peers": PackageResources.peers_yml,
    "quick": PackageResources.quick_yml,
    "scenes": PackageResources.scenes_yml,
    "standard": PackageResources.standard_yml,
    "tune": PackageResources.tune_yml,
    "variable": PackageResources.variable_yml,
  ]
}
