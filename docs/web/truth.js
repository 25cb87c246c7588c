// What a blur should be, written plainly: the Gaussian sampled at whole pixels, in double precision, with the
// edge pixels repeated. The kernels of the library are held against it.

function gaussian(sigma) {
  const radius = Math.ceil(6 * sigma)
  const weight = (_, i) => (sigma ? Math.exp(-((i - radius) ** 2) / (2 * sigma ** 2)) : 1)
  const weights = Float64Array.from({ length: 2 * radius + 1 }, weight)
  const sum = weights.reduce((a, b) => a + b)
  return { radius, weights: weights.map((w) => w / sum) }
}

// Lines of `count` values, `step` apart.
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

// The blurred pixels, not rounded.
function truth(pixels, width, height, channels, sigma) {
  const filter = gaussian(sigma), row = width * channels
  const across = new Float64Array(pixels.length), result = new Float64Array(pixels.length)
  for (let y = 0; y < height; y++)
    for (let c = 0; c < channels; c++) blurLine(pixels, y * row + c, width, channels, filter, across)
  for (let i = 0; i < row; i++) blurLine(across, i, height, row, filter, result)
  return result
}

// How far a picture is from the truth: in levels, against the truth rounded to nearest, and in decibels.
// `channels` of each `step` values count: alpha is not seen where all is opaque.
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

// The difference, amplified around grey; a picture.
function difference(pixels, right, factor) {
  const shown = new Uint8ClampedArray(pixels.length)
  for (let i = 0; i < pixels.length; i++) shown[i] = i % 4 === 3 ? 255 : 128 + factor * (pixels[i] - right[i])
  return shown
}

// FNV-1a, 64 bits: equal hashes, equal bits.
function hash(pixels) {
  let sum = 0xcbf29ce484222325n
  for (const byte of pixels) sum = BigInt.asUintN(64, (sum ^ BigInt(byte)) * 0x100000001b3n)
  return sum.toString(16).padStart(16, "0")
}
