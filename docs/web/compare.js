// Two kernels side by side, and the browser's own blur beside them.

const BROWSER = "browser", UNSUPPORTED = "not supported here", FACTOR = 32
const find = (selector) => document.querySelector(selector)

// Says at a place what the page does there: it is "working", "done", or "failed".
function tell(selector, text, state) {
  const place = find(selector)
  place.textContent = text
  place.dataset.state = state
}

// Calls the worker; `say` hears how far it is.
class Tasks {
  constructor(worker) {
    this.worker = worker
    this.waiting = new Map()
    worker.onmessage = ({ data }) => {
      const { resolve, reject, say } = this.waiting.get(data.number)
      if (data.progress) return say(data.progress)
      this.waiting.delete(data.number)
      data.error ? reject(new Error(data.error)) : resolve(data.answer)
    }
    // A worker that breaks down answers nothing any more.
    worker.onerror = ({ message }) => {
      for (const { reject } of this.waiting.values()) reject(new Error(message ?? "the worker broke down"))
      this.waiting.clear()
    }
  }

  call(task, data, say = () => {}) {
    const number = (this.number = (this.number ?? 0) + 1)
    return new Promise((resolve, reject) => {
      this.waiting.set(number, { resolve, reject, say })
      this.worker.postMessage({ number, task, ...data })
    })
  }
}

class Comparison {
  constructor(tasks, kernels) {
    this.tasks = tasks
    for (const name of ["left", "right"]) {
      const choice = find(`#${name}`)
      for (const kernel of [...kernels, BROWSER])
        choice.append(new Option(kernel === BROWSER ? "this browser's filter: blur()" : kernel, kernel))
      choice.value = name === "left" ? "pyramid" : "box-triple"
      choice.onchange = () => this.update()
    }
    find("#sigma").oninput = () => this.update()
    find("#divider").oninput = () => this.divide()
    this.followPointer(find("#stage"))
    find("#file").onchange = (event) => this.take(event.target.files[0])
    // Else the button would name a file that is not shown, and not take that file again.
    const forget = () => (find("#file").value = "")
    find("#drawn").onclick = () => {
      forget()
      this.show(drawnPicture())
    }
    addEventListener("dragover", (event) => event.preventDefault())
    addEventListener("drop", (event) => {
      event.preventDefault()
      if (event.dataTransfer.files.length) forget()
      this.take(event.dataTransfer.files[0])
    })
    this.divide()
    this.show(drawnPicture())
  }

  async take(file) {
    if (!file) return
    try {
      this.show(await filePicture(file))
    } catch {
      // What runs would write over it.
      await this.running
      this.say(`${file.name} is no picture that this browser can read`, "failed")
    }
  }

  show(picture) {
    this.picture = picture
    for (const canvas of document.querySelectorAll("#stage canvas, #differences canvas"))
      Object.assign(canvas, { width: picture.width, height: picture.height })
    find("#stage").style.aspectRatio = `${picture.width} / ${picture.height}`
    this.update()
  }

  get sigma() { return Number(find("#sigma").value) }

  divide() {
    const share = find("#divider").value
    find("#stage").style.setProperty("--divider", `${share}%`)
  }

  // Pressing or dragging anywhere on the picture moves the divider.
  followPointer(stage) {
    const follow = (event) => {
      if (event.buttons !== 1 || event.target.id === "divider") return
      const { left, width } = stage.getBoundingClientRect()
      find("#divider").value = (100 * (event.clientX - left)) / width
      this.divide()
    }
    stage.onpointerdown = follow
    stage.onpointermove = follow
  }

  say(text, state) { tell("#status", text, state) }

  // One update at a time: what changes meanwhile is done after it.
  update() {
    find("#sigma-value").textContent = `${this.sigma} px`
    this.isStale = true
    this.running ??= this.run().finally(() => (this.running = null))
    return this.running
  }

  async run() {
    while (this.isStale) {
      this.isStale = false
      this.say("blurring …", "working")
      try {
        const { picture, sigma } = this
        const names = [find("#left").value, find("#right").value]
        const results = {}
        for (const name of new Set([...names, BROWSER])) {
          results[name] = await this.result(name, picture, sigma)
          if (this.isStale) break
        }
        if (!this.isStale) this.draw(names, results, picture, sigma)
      } catch (error) {
        this.say(error.message, "failed")
      }
    }
  }

  async result(kernel, picture, sigma) {
    const own = kernel === BROWSER ? browserBlur(picture, sigma) : {}
    if (!own) return null
    const { done } = own
    const answer = await this.tasks.call("blur", { ...picture, sigma, kernel, factor: FACTOR, done })
    return { ...answer, time: own.time ?? answer.time }
  }

  draw(names, results, { width, height }, sigma) {
    const put = (selector, pixels) => {
      const context = find(selector).getContext("2d")
      if (!pixels) return context.clearRect(0, 0, width, height)
      context.putImageData(new ImageData(new Uint8ClampedArray(pixels), width, height), 0, 0)
    }
    names.forEach((name, side) => {
      const result = results[name]
      const place = ["left", "right"][side]
      put(`#${place}-result`, result?.result)
      put(`#${place}-difference`, result?.shown)
      find(`#${place}-caption`).textContent = `${label(name)}: ${result ? figures(result) : UNSUPPORTED}`
    })
    const rows = [...new Set([...names, BROWSER])]
      .map((name) => [label(name), ...(results[name] ? cells(results[name]) : [UNSUPPORTED, "", ""])])
    find("#figures tbody").replaceChildren(...rows.map(tableRow))
    this.say(`${width} × ${height} pixels, sigma ${sigma}: done`, "done")
  }
}

const label = (name) => (name === BROWSER ? "filter: blur()" : name)
const milliseconds = (time) => `${time < 1 ? time.toFixed(3) : time.toFixed(2)} ms`
const levels = (count) => `${count} ${count === 1 ? "level" : "levels"}`
const cells = ({ time, levels: most, psnr }) => [milliseconds(time), levels(most), `${psnr.toFixed(1)} dB`]
const figures = (result) => cells(result).slice(0, 2).join(", at most ") + " off"

function tableRow(texts) {
  const row = document.createElement("tr")
  texts.forEach((textContent, i) => {
    row.append(Object.assign(document.createElement(i ? "td" : "th"), { textContent, scope: "row" }))
  })
  return row
}
