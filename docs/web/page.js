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
  // The last step, for its "done" would hide what fails after it.
  new Player(await Library.load(module))
  const comparison = new Comparison(tasks, kernels)
  const button = find("#measure")
  button.onclick = async () => {
    button.disabled = true
    tell("#progress", "", "working")
    try {
      const say = ({ done, all }) => tell("#progress", `${done} of ${all} cases`, "working")
      offerRecords(await tasks.call("measure", {}, say))
      tell("#progress", "done", "done")
    } catch (error) {
      tell("#progress", error.message, "failed")
    }
    button.disabled = false
  }
  // For tests and for the curious.
  window.blurPage = { comparison, tasks }
}

start().catch((error) => tell("#status", error.message, "failed"))
