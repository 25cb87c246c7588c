// This file runs in a web worker. It blurs, computes exact results and measures times, so that the page still
// reacts to the visitor in the meantime.

let library, known = {}
// The largest number of products that the kernel `naive` may compute for one blur. They take some seconds.
const MOST_TAPS = 1e9

// Returns the exact result. It is computed again only if the picture or sigma has changed.
function right({ id, pixels, width, height, sigma }) {
  const key = `${id} ${sigma}`
  if (known.key !== key) known = { key, values: truth(pixels, width, height, 4, sigma) }
  return known.values
}

const tasks = {
  async load({ module }) {
    library = await Library.load(module)
    return library.kernels
  },

  // Blurs the picture with a kernel, and returns the result, its time and its errors. If `done` is the result
  // of the browser's own blur, only its errors are computed.
  blur(task) {
    const { pixels, width, height, sigma, kernel, factor, done } = task
    let result = done, time = null
    if (!done) {
      if (kernel === "naive" && (12 * sigma + 1) ** 2 * width * height > MOST_TAPS)
        throw new Error(
          `naive is too slow: it reads ${(12 * sigma + 1) ** 2} pixels for each one; choose a smaller sigma`)
      const plan = library.plan({ width, height, sigma, kernel })
      plan.pixels = pixels
      time = median(samples(() => plan.run(), 7, 8).times)
      result = plan.result.slice()
      plan.close()
    }
    const values = right(task)
    const shown = difference(result, values, factor)
    return { result, time, ...errors(result, values, 3, 4), hash: hash(result), shown }
  },

  measure({}, say) { return measured(library, say) },
}

onmessage = async ({ data }) => {
  const { number, task } = data
  try {
    const answer = await tasks[task](data, (progress) => postMessage({ number, progress }))
    postMessage({ number, answer })
  } catch (error) {
    postMessage({ number, error: error.message })
  }
}
