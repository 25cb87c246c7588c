// Calls the library, which is compiled to WebAssembly, through the functions of blur.h.

const FORMATS = { gray8: 0, rgba8: 1, rgb8: 6 };
const EDGES = { clamp: 0, mirror: 1, reflect: 2, wrap: 3, constant: 4 }
const CHANNELS = { gray8: 1, rgba8: 4, rgb8: 3 }

// The size of the C structure `blur_options` in bytes. In WebAssembly, addresses and the type `size_t` have
// four bytes.
const OPTIONS_BYTES = 128

class Library {
  // Loads the library. `compressed` holds the bytes of the WebAssembly module, compressed with gzip.
  static async load(compressed) {
    const bytes = new Response(new Blob([compressed]).stream().pipeThrough(new DecompressionStream("gzip")))
    const library = new Library()
    // All functions of the operating system that the C library imports. A blur uses neither files nor clocks,
    // so most of these functions do nothing.
    const system = {
      clock_time_get: () => 0, fd_close: () => 0, fd_seek: () => 0, fd_write: () => 0, sched_yield: () => 0,
      random_get: (address, count) => {
        crypto.getRandomValues(new Uint8Array(library.exports.memory.buffer, address, count))
        return 0
      },
    }
    const imports = { wasi_snapshot_preview1: system }
    const { instance } = await WebAssembly.instantiate(await bytes.arrayBuffer(), imports)
    library.exports = instance.exports
    library.exports._initialize()
    return library
  }

  text(address) {
    const bytes = new Uint8Array(this.exports.memory.buffer, address)
    return new TextDecoder().decode(bytes.slice(0, bytes.indexOf(0)))
  }

  get kernels() {
    const names = []
    for (let i = 0, name; (name = this.exports.blur_kernel_name(i)); i++) names.push(this.text(name))
    return names
  }

  // Returns a plan, which can blur images of one size. A plan owns memory until its method `close` is called.
  // If the plan cannot be made, throws an error with the message of the library.
  plan({ format = "rgba8", width, height, sigma, edge = "clamp", kernel = null }) {
    const { malloc, free, memory } = this.exports
    const name = new TextEncoder().encode((kernel ?? "") + "\0")
    const options = malloc(OPTIONS_BYTES), plan = malloc(4), text = malloc(name.length)
    new Uint8Array(memory.buffer, text, name.length).set(name)
    new Uint8Array(memory.buffer, options, OPTIONS_BYTES).fill(0)
    const view = new DataView(memory.buffer, options)
    view.setUint32(0, OPTIONS_BYTES, true)
    view.setInt32(4, FORMATS[format], true)
    view.setInt32(8, EDGES[edge], true)
    view.setBigInt64(16, BigInt(width), true)
    view.setBigInt64(24, BigInt(height), true)
    view.setFloat64(32, sigma, true)
    view.setFloat64(40, sigma, true)
    view.setUint32(104, kernel ? text : 0, true)
    view.setInt32(112, 1, true) // A sigma of 0 copies the image.
    const status = this.exports.blur_plan_create(options, plan)
    const address = new DataView(memory.buffer).getUint32(plan, true)
    for (const part of [options, plan, text]) free(part)
    if (status) throw new Error(this.text(this.exports.blur_last_error()))
    return new LibraryPlan(this, address, width * height * CHANNELS[format])
  }
}

class LibraryPlan {
  constructor(library, address, bytes) {
    Object.assign(this, { library, address, bytes })
    this.source = library.exports.malloc(bytes)
    this.target = library.exports.malloc(bytes)
  }

  set pixels(pixels) {
    new Uint8Array(this.library.exports.memory.buffer, this.source, this.bytes).set(pixels)
  }

  // A view of the pixels of the last blur. It becomes invalid when another plan is made, because the memory
  // can then move.
  get result() { return new Uint8ClampedArray(this.library.exports.memory.buffer, this.target, this.bytes) }

  run() {
    // The strides are 64-bit integers. A stride of 0 means that the rows have no padding.
    const status = this.library.exports.blur_execute(this.address, this.source, 0n, this.target, 0n)
    if (status) throw new Error(this.library.text(this.library.exports.blur_last_error()))
  }

  close() {
    this.library.exports.blur_destroy(this.address)
    this.library.exports.free(this.source)
    this.library.exports.free(this.target)
  }
}
