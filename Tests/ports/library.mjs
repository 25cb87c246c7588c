// Tests the functions of blur.h in the WebAssembly library, which are called here as a web page calls them:
// node --no-warnings library.mjs blur.wasm
import { strict as assert } from "node:assert"
import { readFileSync } from "node:fs"
import { WASI } from "node:wasi"

const wasi = new WASI({ version: "preview1" })
const module = new WebAssembly.Module(readFileSync(process.argv[2]))
const library = new WebAssembly.Instance(module, wasi.getImportObject())
wasi.initialize(library)
const { memory, malloc, free } = library.exports
const { blur_plan_create, blur_execute, blur_destroy, blur_last_error } = library.exports

const text = (address) => {
  const bytes = new Uint8Array(memory.buffer, address)
  return new TextDecoder().decode(bytes.subarray(0, bytes.indexOf(0)))
}

// The size of the struct blur_options in WebAssembly, where addresses and sizes have four bytes.
const structBytes = 128
function optionsFor(width, height, sigma, edge) {
  const address = malloc(structBytes)
  new Uint8Array(memory.buffer, address, structBytes).fill(0)
  const view = new DataView(memory.buffer, address)
  view.setUint32(0, structBytes, true)
  view.setInt32(8, edge, true)
  view.setBigInt64(16, BigInt(width), true)
  view.setBigInt64(24, BigInt(height), true)
  view.setFloat64(32, sigma, true)
  view.setFloat64(40, sigma, true)
  return address
}

// Blurs a gray image of the given size and pixels, and returns the blurred pixels.
function blurred(pixels, width, height, sigma, edge) {
  const options = optionsFor(width, height, sigma, edge), plan = malloc(4)
  const source = malloc(pixels.length), target = malloc(pixels.length)
  new Uint8Array(memory.buffer, source, pixels.length).set(pixels)
  const status = blur_plan_create(options, plan)
  assert.equal(status, 0, text(blur_last_error()))
  const address = new DataView(memory.buffer).getUint32(plan, true)
  // The two strides are BigInt values (0n), because their C type has 64 bits.
  assert.equal(blur_execute(address, source, 0n, target, 0n), 0)
  const result = new Uint8Array(memory.buffer, target, pixels.length).slice()
  blur_destroy(address)
  for (const part of [options, plan, source, target]) free(part)
  return result
}

const [width, height] = [67, 41]
const even = new Uint8Array(width * height).fill(200)
assert.deepEqual(blurred(even, width, height, 7, 0), even)

// A single white pixel becomes a symmetric hill, and the sum of all pixels remains 255, give or take 40.
const point = new Uint8Array(width * height)
point[20 * width + 33] = 255
const hill = blurred(point, width, height, 1.5, 4)
const at = (x, y) => hill[y * width + x]
assert.ok(at(33, 20) > at(34, 20) && at(34, 20) > 0 && at(34, 20) === at(32, 20) && at(33, 21) === at(33, 19))
assert.ok(Math.abs(hill.reduce((a, b) => a + b) - 255) < 40)

// A plan for an image with a width of 0 is an error, and blur_last_error returns the message.
const wrong = optionsFor(0, 5, 1, 0), plan = malloc(4)
assert.equal(blur_plan_create(wrong, plan), 2)
assert.match(text(blur_last_error()), /size 0x5/)
// So are sigmas of 0, unless the member allow_copy is 1.
const unset = optionsFor(5, 5, 0, 0)
assert.equal(blur_plan_create(unset, plan), 3)
new DataView(memory.buffer, unset).setInt32(112, 1, true)
assert.equal(blur_plan_create(unset, plan), 0)
console.log("blur.wasm: blur.h's functions do what they say")
