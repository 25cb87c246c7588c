// The worker: blurs, truths and measurements, so that the page answers while they take their time.

let library, known = {}
// Of the kernel that convolves in two dimensions: some seconds.
const MOST_TAPS = 1e9

// The truth of the last picture and sigma.
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

  // A kernel's result, time and errors; of the browser's own blur the errors alone.
  blur(task) {
    const { pixels, width, height, sigma, kernel, factor, done } = task
    let result = done, time = null
    if (!done) {
      if (kernel === "naive" && (12 * sigma + 1) ** 2 * width * height > MOST_TAPS)
        throw new Error(`naive reads ${(12 * sigma + 1) ** 2} pixels for each one: lower sigma`)
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
