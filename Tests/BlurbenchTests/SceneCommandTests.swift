import BlurFiles
import Foundation
import TestSupport
import Testing

@Suite("Scenes on the command line")
struct SceneCommandTests {
  @Test("scene writes the chosen frames and a contact sheet, and lists them as JSON")
  func frames() throws {
    try Scratch.folder { folder in
      let command = try Command(
        [
          "scene", "reveal", "--folder", "new/pictures", "--device", "phone-2x", "--frames", "0-36/12",
          "--kernel",
          "pyramid", "--json",
        ], in: folder)
      #expect(command.code == 0, "\(command.errors)")
      let names = ["frame-0000.png", "frame-0012.png", "frame-0024.png", "frame-0036.png"]
      let files = try FileManager.default.contentsOfDirectory(
        atPath: folder.appending(path: "new/pictures").path)
      #expect(Set(files) == Set(names + ["contact-sheet.png"]))
      let picture = try ImageFile.read(folder.appending(path: "new/pictures/frame-0012.png").path).image
      #expect((picture.layout.width, picture.layout.height) == (750, 1334))
      let report = try #require(
        JSONSerialization.jsonObject(with: Data(command.output.utf8)) as? [String: Any])
      let frames = try #require(report["frames"] as? [[String: Any]])
      #expect(frames.map { $0["file"] as? String } == names)
      #expect(report["sigma"] as? Double == 40)
    }
  }

  @Test("scene --precision selects whether blurs are rounded once, and with a dither")
  func precision() throws {
    try Scratch.folder { folder in
      let pictures = try ["bytes", "fine", "dithered"].map { precision in
        let words = [
          "scene", "glass", "--folder", precision, "--device", "phone-2x", "--frames", "0", "--kernel",
          "pyramid", "--precision", precision,
        ]
        let command = try Command(words, in: folder)
        #expect(command.code == 0, "\(command.errors)")
        return try Data(contentsOf: folder.appending(path: "\(precision)/frame-0000.png"))
      }
      #expect(Set(pictures).count == 3)
    }
  }

  @Test("list --scenes lists the scenes, as text and as JSON")
  func list() throws {
    let names = [
      "modal-over-split-view", "custom-transition", "live-status-bar", "static-against-live", "reveal",
      "many-cards", "rounded-card", "glass", "acrylic", "progressive-bar",
    ]
    let text = try Command(["list", "--scenes"]).output
    #expect((names + ["phone-3x", "desktop-4k"]).allSatisfy(text.contains))
    let json = try JSONSerialization.jsonObject(
      with: Data(Command(["list", "--scenes", "--json"]).output.utf8))
    let scenes = try #require((json as? [String: Any])?["scenes"] as? [[String: Any]])
    #expect(scenes.map { $0["name"] as? String } == names)
    #expect(scenes.allSatisfy { ($0["why"] as? String)?.isEmpty == false })
    #expect(try Command(["list", "--scenes", "--csv"]).code == 64)
  }

  @Test(
    "A scene that cannot be played is rejected, with the possible choices",
    arguments: [
      (["scene", "nothing-like-it", "--folder", "x"], "custom-transition"),
      (["scene", "reveel", "--folder", "x"], "'reveal'"),
      (["scene", "reveal", "--folder", "x", "--device", "watch-of-a-friend"], "tablet-2x"),
      (["scene", "reveal", "--folder", "x", "--kernel", "a-kernel-that-is-not"], "box-triple"),
      (["scene", "reveal", "--folder", "x", "--frames", "218-222"], "from 0 to 221"),
      (["scene", "reveal", "--folder", "x", "--frames", "9-3"], "10-20/4"),
      (["scene", "reveal", "--folder", "x", "--frames", "/0"], "10-20/4"),
      (["scene", "reveal", "--folder", "x", "--frames", ""], "10-20/4"),
      (["scene", "reveal", "--folder", "x", "--precision", "exact"], "dithered"),
    ])
  func mistakes(words: [String], allowed: String) throws {
    let command = try Command(words)
    #expect(command.code == 64)
    #expect(command.errors.contains(allowed), "\(command.errors)")
  }

  @Test("A folder that cannot be created is a system error")
  func folder() throws {
    try Scratch.folder { folder in
      try Data().write(to: folder.appending(path: "file"))
      let words = ["scene", "reveal", "--folder", "file/x", "--device", "phone-2x", "--frames", "0"]
      let command = try Command(words, in: folder)
      #expect(command.code == 1 && command.errors.contains("file/x"))
    }
  }

  @Test(
    "Scenes are measured into records that rank and select can read, accurately and without allocations",
    .tags(.long), .slow)
  func measured() throws {
    try Scratch.folder { folder in
      let run = try Command(
        [
          "run", "--scene", "live-status-bar", "--device", "phone-2x", "--kernel", "pyramid,dct",
          "--threads", "1", "--repetitions", "1", "--output", "s.csv",
        ], in: folder)
      #expect(run.code == 0 && run.output.contains("live-status-bar on phone-2x"), "\(run.errors)")
      let rows = try PluginTests.rows(String(contentsOf: folder.appending(path: "s.csv"), encoding: .utf8))
        .filter { $0["name"]?.contains("memcpy") == false }
      #expect(rows.count == 2)
      for row in rows {
        #expect(row["name"]?.hasSuffix("/scene=live-status-bar@phone-2x") == true)
        #expect(Double(row["max_error_levels"] ?? "").map { $0 <= 4 } == true)
        #expect((Double(row["frame_p50_ns"] ?? "") ?? 0) > 0)
        #if os(Linux)
          #expect(row["allocated_bytes"] == "0")
        #endif
      }
      let ranked = try Command(["rank", "s.csv"], in: folder)
      #expect(ranked.code == 0 && ranked.output.contains("live-status-bar"))
      let selected = try Command(
        ["select", "--from", "s.csv", "--scene", "live-status-bar", "--max-error", "4"], in: folder)
      #expect(selected.code == 0 && selected.output.contains("error at most 4 levels"))
      #expect(try Command(["select", "--from", "s.csv", "--scene", "reveal"], in: folder).code == 64)
    }
  }

  @Test("An unknown scene or device is rejected, with the known ones")
  func unknown() throws {
    for (words, allowed) in [
      (["run", "--scene", "reveel"], "'reveal'"), (["run", "--device", "watch"], "phone-3x"),
      (["tune", "--scene", "reveal"], "tune has no option --scene"),
    ] {
      let command = try Command(words)
      #expect(command.code == 64 && command.errors.contains(allowed), "\(command.errors)")
    }
  }
}
