// Measures a small suite in this browser, and returns the records in the format that `blurbench run` writes.

const SUITE = {
  kernels: ["pyramid", "simd", "dct", "box-triple"],
  workloads: ["gray8", "rgb8", "rgba8"].flatMap((format) =>
    [1, 5, 20].map((sigma) => ({ format, width: 640, height: 480, sigma }))),
  samples: 10,
}

// The first columns of docs/REFERENCE.md, which every file of records has.
const COLUMNS = [
  "name", "iterations", "real_time", "cpu_time", "time_unit", "bytes_per_second", "items_per_second", "label",
  "error_occurred", "error_message", "megapixels_per_second", "memcpy_ratio", "ceiling_share", "plan_ns",
  "max_error_levels", "certified_levels", "psnr_db", "achieved_sigma", "output_hash", "isa", "threads",
  "repetition", "machine_key",
]

// Returns pseudorandom bytes, which are the same in every browser.
function noise(count) {
  let state = 1
  return Uint8Array.from({ length: count }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state >>> 24
  })
}

function measured(library, say) {
  const rows = [COLUMNS], key = "browser-" + hash(new TextEncoder().encode(navigator.userAgent))
  SUITE.workloads.forEach((workload, index) => {
    const { format, width, height, sigma } = workload
    const pixels = noise(width * height * CHANNELS[format])
    const values = truth(pixels, width, height, CHANNELS[format], sigma)
    const copied = new Uint8Array(pixels.length)
    const copy = median(samples(() => copied.set(pixels), SUITE.samples, 5).times)
    SUITE.kernels.forEach((kernel, place) => {
      say({ done: index * SUITE.kernels.length + place, all: SUITE.workloads.length * SUITE.kernels.length })
      const start = performance.now()
      const plan = library.plan({ ...workload, kernel })
      const planned = performance.now() - start
      plan.pixels = pixels
      const { calls, times } = samples(() => plan.run(), SUITE.samples, 15)
      const error = errors(plan.result, values, CHANNELS[format], CHANNELS[format])
      const name = `BM_Blur/kernel=${kernel}/isa=baseline/threads=1/format=${format}/size=${width}x${height}`
        + `/sigma=${sigma}/edge=clamp`
      const found = hash(plan.result)
      times.forEach((time, repetition) => {
        const seconds = time / 1000
        const pixelsPerSecond = (width * height) / seconds
        rows.push([
          name, calls, time * 1e6, time * 1e6, "ns", 2 * pixels.length / seconds, pixelsPerSecond, "", "", "",
          pixelsPerSecond / 1e6, time / copy, copy / time, planned * 1e6,
          error.levels, "", error.psnr, "", found, "baseline", 1, repetition, key,
        ])
      })
      plan.close()
    })
  })
  return rows.map((row) => row.join(",") + "\n").join("")
}
