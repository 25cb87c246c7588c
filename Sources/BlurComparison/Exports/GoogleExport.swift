import BlurRecords

/// Google Benchmark's JSON document with all repetitions, as its compare.py reads it.
enum GoogleExport {
  static func text(_ cases: [MeasuredCases.Item], _ origin: ProvenanceReader) -> String {
    RecordsJSON.document(
      cases.flatMap(\.records), context: origin.context(machineKey: cases.first?.records[0].machineKey))
  }
}
