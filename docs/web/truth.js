// The exact blur, in simple code. It samples the Gaussian at whole pixels, computes in double precision, and
// repeats the edge pixels. The results of the library's kernels are compared with this blur.

function gaussian(sigma) {
  const radius = Math.ceil(6 * sigma)
  const weight = (_, i) => (sigma ? Math.exp(-((i - radius) ** 2) / (2 * sigma ** 2)) : 1)
  const weights = Float64Array.from({ length: 2 * radius + 1 }, weight)
  const sum = weights.reduce((a, b) => a + b)
  return { radius, weights: weights.map((w) => w / sum) }
}

// Blurs one line of `count` values. Neighbouring values of the line are `step` elements apart in the arrays.
function blurLine(values, start, count, step, { radius, weights }, out) {
  const line = new Float64Array(count + 2 * radius)
  for (let i = 0; i < line.length; i++)
    line[i] = values[start + Math.min(Math.max(i - radius, 0), count - 1) * step]
  for (let i = 0; i < count; i++) {
    let sum = 0
    for (let j = 0; j < weights.length; j++) sum += weights[j] * line[i + j]
    out[start + i * step] = sum
  }
}

// Returns the blurred pixels, not rounded.
function truth(pixels, width, height, channels, sigma) {
  const filter = gaussian(sigma), row = width * channels
  const across = new Float64Array(pixels.length), result = new Float64Array(pixels.length)
  for (let y = 0; y < height; y++)
    for (let c = 0; c < channels; c++) blurLine(pixels, y * row + c, width, channels, filter, across)
  for (let i = 0; i < row; i++) blurLine(across, i, height, row, filter, result)
  return result
}

// Returns the difference between a picture and the exact result. The largest difference is in levels, and
// refers to the exact result rounded to the nearest level. The signal-to-noise ratio is in decibels. Only the
// first `channels` of each `step` values are compared, because the alpha of an opaque picture is always the
// same.
function errors(pixels, right, channels, step) {
  let most = 0, squares = 0, count = 0
  for (let i = 0; i < pixels.length; i++) {
    if (i % step >= channels) continue
    most = Math.max(most, Math.abs(pixels[i] - Math.round(right[i])))
    squares += (pixels[i] - right[i]) ** 2
    count++
  }
  return { levels: most, psnr: 10 * Math.log10(255 ** 2 / (squares / count)) }
}

// Returns a picture of the difference. Equal values are shown as grey, and differences are multiplied by
// `factor`.
function difference(pixels, right, factor) {
  const shown = new Uint8ClampedArray(pixels.length)
  for (let i = 0; i < pixels.length; i++) shown[i] = i % 4 === 3 ? 255 : 128 + factor * (pixels[i] - right[i])
  return shown
}

// Returns the 64-bit FNV-1a hash of the pixels. Two results with the same hash are bit-identical, except by a
// very rare chance.
function hash(pixels) {
  let sum = 0xcbf29ce484222325n
  for (const byte of pixels) sum = BigInt.asUintN(64, (sum ^ BigInt(byte)) * 0x100000001b3n)
  return sum.toString(16).padStart(16, "0")
}
