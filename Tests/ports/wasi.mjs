// Runs a program for WebAssembly on the standard streams: node --no-warnings wasi.mjs PROGRAM.wasm
import { readFileSync } from "node:fs"
import { WASI } from "node:wasi"

const wasi = new WASI({ version: "preview1", returnOnExit: true })
const module = new WebAssembly.Module(readFileSync(process.argv[2]))
process.exitCode = wasi.start(new WebAssembly.Instance(module, wasi.getImportObject()))
