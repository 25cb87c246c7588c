// Starts the page: loads the module, starts the worker, and connects the buttons.

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
  // The comparison is created after the player, because its message "done" would hide an error of the player.
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
  // Tests use these objects, and so can visitors in the console of the browser.
  window.blurPage = { comparison, tasks }
}

start().catch((error) => tell("#status", error.message, "failed"))
