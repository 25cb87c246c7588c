// Compares the results of two kernels side by side, and lists the time and the error of the browser's own
// blur as well.

const BROWSER = "browser", UNSUPPORTED = "not supported here", FACTOR = 32
const find = (selector) => document.querySelector(selector)

// Shows a message in the element that `selector` finds. The state is "working", "done" or "failed", and
// chooses the style of the message.
function tell(selector, text, state) {
  const place = find(selector)
  place.textContent = text
  place.dataset.state = state
}

// Sends tasks to the worker and waits for its answers. The worker reports its progress through the function
// `say`.
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
    // After an error of the worker itself, no more answers come, so all waiting tasks fail.
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
    // Otherwise, the button would show the name of a file that is no longer shown, and would ignore the file
    // if the user chose it again.
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
      // Waits for the running blurs, because their messages would replace this one.
      await this.running
      this.say(`${file.name} is not a picture that this browser can read`, "failed")
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

  // Starts an update, unless one is already running. In that case, the running update is repeated when it
  // ends, so that it includes the latest changes.
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
