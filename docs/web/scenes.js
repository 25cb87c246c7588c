// Shows five interface effects that blur parts of the screen in every frame. They are small versions of the
// effects of `blurbench scene`. The frames of that program are checked pixel by pixel, but the frames of this
// page are only timed.

const SCREEN = { width: 300, height: 420 }
const ease = (t) => t * t * (3 - 2 * t)
// Returns a position that moves from 0 to 1 and back again, without end. Each direction takes `seconds`.
const swing = (t, seconds) => ease(1 - Math.abs(((t / seconds) % 2) - 1))
// Returns the position of a spring with the damping ratio 0.5 after t seconds. It begins at 0, exceeds 1 for
// a moment, and ends at 1.
function spring(t) {
  const decay = 7, frequency = decay * Math.sqrt(3)
  return 1 - Math.exp(-decay * t) * (Math.cos(frequency * t) + (decay / frequency) * Math.sin(frequency * t))
}

function list(context, scroll) {
  const { width, height } = SCREEN
  context.fillStyle = "#f4f1ea"
  context.fillRect(0, 0, width, height)
  for (let i = Math.floor(scroll / 56) - 1; i < (scroll + height) / 56; i++) {
    const y = i * 56 - scroll
    context.fillStyle = `hsl(${(((i * 47) % 360) + 360) % 360} 65% 55%)`
    circle(context, 34, y + 28, 18)
    context.fillStyle = "#2b2d33"
    context.fillRect(64, y + 16, 90 + ((i * 37) & 63), 9)
    context.fillStyle = "#9a9ca3"
    context.fillRect(64, y + 33, 130 + ((i * 23) & 63), 7)
  }
}

function photo(context, shift) {
  const { width, height } = SCREEN
  const gradient = context.createLinearGradient(0, 0, width, height)
  gradient.addColorStop(0, "#1e3c72")
  gradient.addColorStop(1, "#e96443")
  context.fillStyle = gradient
  context.fillRect(0, 0, width, height)
  for (let i = 0; i < 14; i++) {
    context.fillStyle = `hsl(${i * 26} 80% 60%)`
    circle(context, (i * 71 + shift) % (width + 40) - 20, (i * 97) % height, 14 + (i * 7) % 24)
  }
}

// The function `draw` of a scene draws the content of the screen at the time t, and `panes` returns the
// blurred panes on it. Each pane has a rectangle, a sigma and a tint. A live pane is blurred again in each
// frame, and any other pane only once.
const SCENES = [
  {
    name: "live-status-bar", text: "a bar over a list that scrolls; blurred anew each frame",
    draw: (context, t) => list(context, 60 * t),
    panes: () => [{ x: 0, y: 0, width: SCREEN.width, height: 64, sigma: 10, tint: "#ffffff66", live: true }],
  },
  {
    name: "modal-over-split-view", text: "a card over what goes on below it",
    draw: (context, t) => photo(context, 40 * t),
    panes: () => [{ x: 30, y: 110, width: 240, height: 190, sigma: 20, tint: "#ffffff4d", live: true }],
  },
  {
    name: "reveal", text: "a sheet opens over a picture that was blurred once",
    draw: (context) => photo(context, 0),
    panes: (t) => {
      const height = Math.max(1, Math.round(SCREEN.height * swing(t, 1.2)))
      const pane = { x: 0, y: SCREEN.height - height, width: SCREEN.width, height, sigma: 20 }
      return [{ ...pane, tint: "#10101480", live: false }]
    },
  },
  {
    name: "custom-transition", text: "sigma grows and shrinks; every frame has a plan of its own",
    draw: (context, t) => (Math.floor(t / 1.5) % 2 ? photo(context, 30) : list(context, 120)),
    panes: (t) => {
      const sigma = 0.3 + 14 * (1 - Math.abs(((t / 0.75) % 2) - 1))
      return [{ x: 0, y: 0, ...SCREEN, sigma, tint: null, live: true }]
    },
  },
  {
    name: "static-against-live",
    text: "modals spring in, left over a blur made once, right over one made each frame: the left goes stale",
    draw: (context, t) => photo(context, 60 * t),
    panes: (t) => {
      const y = Math.round(SCREEN.height - (SCREEN.height - 110) * spring(t % 4))
      const pane = { y, width: 130, height: 200, sigma: 12, tint: null }
      return [{ ...pane, x: 14, live: false }, { ...pane, x: 156, live: true }]
    },
  },
]

class Scene {
  constructor(library, scene) {
    Object.assign(this, { library, scene, plans: new Map(), times: [], start: null, isSeen: false })
    const figure = document.createElement("figure")
    figure.innerHTML = `<canvas role="img" width="${SCREEN.width}" height="${SCREEN.height}"></canvas>
      <figcaption><b></b><span></span><output></output></figcaption>
      <canvas class="frames" aria-hidden="true" width="300" height="44"></canvas>`
    const [name, text, output] = figure.querySelector("figcaption").children
    name.textContent = scene.name
    text.textContent = scene.text
    this.output = output
    const [canvas, frames] = figure.querySelectorAll("canvas")
    canvas.setAttribute("aria-label", `${scene.name}: ${scene.text}`)
    this.context = canvas.getContext("2d", { willReadFrequently: true })
    this.chart = frames.getContext("2d")
    find("#scenes-list").append(figure)
    // If the page was busy, several changes arrive at once. The last one is the current state.
    const observer = new IntersectionObserver((changes) => (this.isSeen = changes.at(-1).isIntersecting))
    observer.observe(figure)
  }

  frame(now) {
    const t = (now - (this.start ??= now)) / 1000
    const start = performance.now()
    this.scene.draw(this.context, t)
    this.scene.panes(t).forEach((pane, i) => this.blur(pane, i))
    this.times.push(performance.now() - start)
    if (this.times.length > 100) this.times.shift()
    if (this.times.length % 10 === 0) this.report()
  }

  // Draws a pane. A pane that is not live always shows a piece of the screen in the first frame, which was
  // blurred once.
  blur(pane, index) {
    const { x, y, width, height, sigma, tint, live } = pane
    if (live) {
      const image = this.blurred(this.context.getImageData(x, y, width, height), sigma)
      this.context.putImageData(image, x, y)
    } else {
      this.once ??= []
      const { width: all, height: tall } = SCREEN
      this.once[index] ??= canvasOf(this.blurred(this.context.getImageData(0, 0, all, tall), sigma))
      this.context.drawImage(this.once[index], x, y, width, height, x, y, width, height)
    }
    if (!tint) return
    this.context.fillStyle = tint
    this.context.fillRect(x, y, width, height)
  }

  // Blurs a picture. If its size and its sigma are the same as before, the plan is used again. A sigma that
  // changes needs a new plan in each frame.
  blurred(image, sigma) {
    const { width, height } = image
    const key = `${width} ${height} ${sigma}`
    let plan = this.plans.get(key)
    if (!plan) {
      for (const old of this.plans.values()) old.close()
      plan = this.library.plan({ width, height, sigma, edge: "mirror" })
      this.plans = new Map([[key, plan]])
    }
    plan.pixels = image.data
    plan.run()
    image.data.set(plan.result)
    return image
  }

  // Shows the times of the last frames, and whether they fit into the time that a frame has at 120 Hz or at
  // 60 Hz.
  report() {
    const sorted = [...this.times].sort((a, b) => a - b)
    const last = sorted[Math.floor(0.95 * sorted.length)]
    const verdict = last < 1000 / 120 ? "fits 120 Hz" : last < 1000 / 60 ? "fits 60 Hz" : "too slow for 60 Hz"
    this.output.textContent = `95 of 100 frames under ${milliseconds(last)}: ${verdict}`
    const { chart, times } = this
    const style = getComputedStyle(document.documentElement)
    const height = (time) => 44 * Math.min(1, time / 20)
    chart.clearRect(0, 0, 300, 44)
    chart.fillStyle = style.getPropertyValue("--accent")
    times.forEach((time, i) => chart.fillRect(3 * i, 44 - height(time), 2, height(time)))
    chart.fillStyle = style.getPropertyValue("--muted")
    for (const rate of [60, 120]) {
      const y = 44 - height(1000 / rate)
      chart.fillRect(0, y, 300, 1)
      chart.fillText(`${rate} Hz`, 262, y - 2 + (rate === 60 ? 12 : 0))
    }
  }
}

class Player {
  constructor(library) {
    this.scenes = SCENES.map((scene) => new Scene(library, scene))
    const button = find("#play")
    button.onclick = () => {
      this.isPlaying = !this.isPlaying
      button.textContent = this.isPlaying ? "Pause" : "Play"
      if (this.isPlaying) requestAnimationFrame((now) => this.frame(now))
    }
    for (const scene of this.scenes) scene.frame(0)
    if (!matchMedia("(prefers-reduced-motion: reduce)").matches) button.click()
  }

  frame(now) {
    if (!this.isPlaying) return
    for (const scene of this.scenes) if (scene.isSeen) scene.frame(now)
    requestAnimationFrame((next) => this.frame(next))
  }
}
