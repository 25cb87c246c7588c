import BlurRecords

/// Google Benchmark's JSON document with all repetitions, in the form that its compare.py reads.
enum GoogleExport {
  static func text(_ cases: [MeasuredCases.Item], _ origin: ProvenanceReader) -> String {
    RecordsJSON.document(
      cases.flatMap(\.records), context: origin.context(machineKey: cases.first?.records[0].machineKey))
  }
}
