import Blur
import BlurRecords
import BlurText
import BlurVerification

extension SelectionRun {
  /// Measures the kernels for each workload, and selects the fastest kernel whose promised error is within
  /// the error bound.
  ///
  /// - Parameters:
  ///   - measuresAll: Whether to measure even kernels whose estimated time is far too long for them to be the
  ///     fastest.
  ///   - settings: The number and length of the samples.
  ///   - maxCaseSeconds: The maximum time of a single blur in seconds. Slower kernels are left out.
  ///   - certifySeconds: The maximum time in seconds for making a certificate of the selected kernel. With 0,
  ///     no certificate is made.
  ///   - machineKey: The key that identifies the machine in the records.
  ///   - progress: A function that is called before each workload is measured.
  ///   - scenes: Measures scenes, which are user interface effects.
  public func selections(
    measuresAll: Bool, settings: TimingSettings, maxCaseSeconds: Double = 3, certifySeconds: Double,
    machineKey: String,
    progress: @escaping (RunProgress) -> Void, scenes: (any CaseRunner)? = nil
  ) throws(MeasurementError) -> [Selection] {
    let jobs = try workloads.map { workload in
      Job(workload: workload, cases: cases(of: workload, measuresAll: measuresAll))
    }
    let options = RunnerOptions(
      settings: settings, maxCaseSeconds: maxCaseSeconds, certifySeconds: 0, machineKey: machineKey)
    var selections: [Selection] = []
    // If no kernel is suitable for a workload, nothing is measured, but the user still gets a result that
    // says why no kernel was selected.
    for job in jobs where job.cases.isEmpty {
      selections.append(Selection(job.workload, [], within: bound, kernels: kernels))
    }
    let runner: any CaseRunner =
      (isOfScenes ? scenes : nil) ?? Runner(Sampler(), options, kernels: kernels, progress: progress)
    try runner.run(jobs.filter { !$0.cases.isEmpty }) { (records) throws(MeasurementError) in
      let workload = records.first?.item?.workload
      selections += Selection.all(records, within: bound, kernels: kernels).map {
        certified($0, workload, limit: certifySeconds)
      }
    }
    return selections
  }

  private var isOfScenes: Bool { lists[.scene] != nil || lists[.device] != nil }

  private var workloads: [Workload] {
    get throws(MeasurementError) {
      let ofBlurs: [CaseDimension] = [.format, .alpha, .size, .sigma, .edge, .pace]
      if isOfScenes, let other = ofBlurs.first(where: { lists[$0] != nil }) {
        throw .usage(
          "--\(other.key) cannot be combined with a scene, because a scene defines what it blurs; leave "
            + "out one of them")
      }
      // The default lists for the properties that the user has not chosen.
      //
      // An interface scene is a user interface effect, rendered for a certain device. A scene determines its
      // own format, sizes, sigmas, edge mode and pace, so the user cannot choose these. If the user names
      // only scenes, they are measured on the default device. If the user names only devices, all scenes are
      // measured on these devices.
      let usual: [CaseDimension: [String]] =
        isOfScenes
        ? [.scene: catalog.scenes, .device: catalog.usualDevice.map { [$0] } ?? []]
        : [
          .format: ["rgba8"], .alpha: ["premultiplied"], .size: ["1920x1080"], .sigma: ["10"],
          .edge: ["clamp"], .pace: ["warm"],
        ]
      return try CaseLists(usual.merging([.threads: ["1"]]) { $1 })
        .replacing(with: lists).workloads(cores: cores, catalog)
    }
  }

  private func cases(of workload: Workload, measuresAll: Bool) -> [Case] {
    let sets = lists.isas ?? [.all]
    let candidates = workload.candidates(kernels).filter { candidate in
      candidate.bound <= bound.levels
        && sets.contains { $0.sets(of: candidate.kernel).contains(candidate.instructionSet) }
        && lists.kernels?.contains(candidate.kernel.name) ?? true
    }
    return (measuresAll ? candidates : LikelyKernel.open(candidates))
      .map { Case(kernel: $0.kernel.name, isa: $0.instructionSet, workload: workload) }
  }

  /// Returns a copy of the selection that also states the largest error of the selected kernel over all
  /// images. This error comes from a certificate. If no certificate can be made, the error is nil.
  private func certified(_ selection: Selection, _ workload: Workload?, limit: Double) -> Selection {
    guard limit > 0, let workload, let chosen = selection.chosen,
      let isa = InstructionSet(rawValue: chosen.isa),
      let kernel = kernels.first(where: { $0.name == chosen.kernel })
    else { return selection }
    var selection = selection
    let item = Case(kernel: chosen.kernel, isa: isa, workload: workload)
    let certificate = try? CertificateCache(limit: limit).certificate(kernel, item)
    selection.chosen?.certifiedLevels = certificate?.worst?.levels.finite
    return selection
  }
}
