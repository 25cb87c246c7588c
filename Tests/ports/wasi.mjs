// Runs a WebAssembly program, which reads and writes the standard streams of this process:
// node --no-warnings wasi.mjs PROGRAM.wasm
import { readFileSync } from "node:fs"
import { WASI } from "node:wasi"

const wasi = new WASI({ version: "preview1", returnOnExit: true })
const module = new WebAssembly.Module(readFileSync(process.argv[2]))
const imports = wasi.getImportObject()
// Each function of WASI is wrapped in a JavaScript function. Without these wrappers, Node.js 20 aborts when
// optimised code calls a WASI function after the memory of the program has grown.
for (const [name, call] of Object.entries(imports.wasi_snapshot_preview1)) {
  imports.wasi_snapshot_preview1[name] = (...values) => call(...values)
}
process.exitCode = wasi.start(new WebAssembly.Instance(module, imports))
