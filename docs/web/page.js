// Puts the page together: the module, the worker, and what the visitor does.

const moduleBytes = () =>
  Uint8Array.from(atob(find("#module").textContent.trim()), (character) => character.charCodeAt(0))

function offerRecords(csv) {
  const link = find("#records")
  link.href = URL.createObjectURL(new Blob([csv], { type: "text/csv" }))
  link.hidden = false
  find("#csv").textContent = csv
  find("#records-box").hidden = false
}

async function start() {
  if (typeof DecompressionStream === "undefined" || typeof WebAssembly === "undefined")
    throw new Error("this browser is too old: the page needs WebAssembly with SIMD and DecompressionStream")
  const script = new Blob([find("#worker").textContent], { type: "text/javascript" })
  const worker = new Worker(URL.createObjectURL(script))
  const tasks = new Tasks(worker)
  const module = moduleBytes()
  const kernels = await tasks.call("load", { module })
  const comparison = new Comparison(tasks, kernels)
  new Player(await Library.load(module))
  const button = find("#measure")
  button.onclick = async () => {
    button.disabled = true
    const progress = find("#progress")
    try {
      const say = ({ done, all }) => (progress.textContent = `${done} of ${all} cases`)
      offerRecords(await tasks.call("measure", {}, say))
      progress.textContent = "done"
    } catch (error) {
      progress.textContent = error.message
    }
    button.disabled = false
  }
  // For tests and for the curious.
  window.blurPage = { comparison, tasks }
}

start().catch((error) => (find("#status").textContent = error.message))
