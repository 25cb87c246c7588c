import Blur
import Foundation
import Testing

@testable import BlurRecords

@Suite("Shards")
struct ShardTests {
  @Test("A shard is parsed from its text")
  func text() throws {
    let shard = try Shard("2/5")
    #expect(shard.index == 2 && shard.count == 5 && shard.text == "2/5")
  }

  @Test(
    "Malformed texts of shards are rejected",
    arguments: ["0/5", "6/5", "-1/5", "2", "2/", "/5", "2/5/6", "a/b", "", "1/0", "1/99999999", "auto/5"])
  func refused(text: String) {
    let error = #expect(throws: MeasurementError.self) { try Shard(text) }
    #expect(error?.isUsage == true)
  }

  @Test(
    "Each job is in exactly one shard, together with jobs that differ only in threads",
    arguments: [1, 2, 5, 40])
  func partition(count: Int) throws {
    let jobs = try MeasurementPlan(suite: "quick", cores: 2).jobs
    let shares = try (1...count).map { try Shard("\($0)/\(count)").own(jobs) }
    #expect(shares.joined().count == jobs.count)
    #expect(jobs.allSatisfy(shares.joined().contains))
    let pictures = shares.map { Set($0.map(\.workload.picture)) }
    for (index, some) in pictures.enumerated() {
      for others in pictures[(index + 1)...] { #expect(some.isDisjoint(with: others)) }
    }
    let counts = pictures.map(\.count)
    #expect(counts.max()! - counts.min()! <= 1)
  }

  @Test("A run measures only the jobs of its shard")
  func plan() throws {
    let plan = try MeasurementPlan(suite: "quick", shard: Shard("2/3"), cores: 2)
    #expect(plan.jobs == (try Shard("2/3").own(try MeasurementPlan(suite: "quick", cores: 2).jobs)))
    #expect(plan.shard?.cases == plan.jobs.caseCount)
  }

  @Test("All shards of a run have the same division, and other settings or cases have another one")
  func division() throws {
    let jobs = [try Fixture.job("steady", "refusing"), try Fixture.job("steady", sigma: 5)]
    let division = { (shard: String, jobs: [Job], settings: TimingSettings) in
      ShardFacts(try Shard(shard), of: jobs, settings).division
    }
    let first = try division("1/2", jobs, Fixture.settings)
    var longer = Fixture.settings
    longer.minTime *= 2
    #expect(try division("2/2", jobs, Fixture.settings) == first)
    #expect(try division("1/3", jobs, Fixture.settings) != first)
    #expect(try division("1/2", jobs, longer) != first)
    #expect(try division("1/2", [jobs[0]], Fixture.settings) != first)
  }

  @Test("The facts are read back from the provenance, unless it was cut off anywhere")
  func provenance() throws {
    let jobs = [try Fixture.job("steady", "refusing"), try Fixture.job("steady", sigma: 5)]
    var provenance = Provenance(
      machine: Machine(), build: Fixture.build, suite: "s", suiteText: "x", command: ["blurbench"],
      date: Date())
    #expect(ShardFacts(ProvenanceReader(provenance.text)) == nil)
    let facts = ShardFacts(try Shard("2/2"), of: jobs, Fixture.settings)
    provenance.shard = facts
    let text = provenance.text
    #expect(ShardFacts(ProvenanceReader(text)) == facts)
    let last = try #require(text.range(of: "\ndivision"))
    #expect(ShardFacts(ProvenanceReader(String(text[..<last.lowerBound]))) == nil)
  }
}
