// Runs a program for WebAssembly on the standard streams: node --no-warnings wasi.mjs PROGRAM.wasm
import { readFileSync } from "node:fs"
import { WASI } from "node:wasi"

const wasi = new WASI({ version: "preview1", returnOnExit: true })
const module = new WebAssembly.Module(readFileSync(process.argv[2]))
const imports = wasi.getImportObject()
// Functions declared here: Node.js 20 aborts where optimised code calls its own after memory has grown.
for (const [name, call] of Object.entries(imports.wasi_snapshot_preview1)) {
  imports.wasi_snapshot_preview1[name] = (...values) => call(...values)
}
process.exitCode = wasi.start(new WebAssembly.Instance(module, imports))
