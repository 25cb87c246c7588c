// Makes the picture that is blurred. It is either drawn by this file, or read from a file that the visitor
// chooses.

const LONGEST = 720

// Draws a picture with fine stripes, flat areas, letters, and soft and hard edges, because errors of a blur
// are easy to see in them.
function drawnPicture() {
  const canvas = Object.assign(document.createElement("canvas"), { width: 640, height: 400 })
  const context = canvas.getContext("2d", { willReadFrequently: true })
  const sky = context.createLinearGradient(0, 0, 0, 400)
  sky.addColorStop(0, "#22406e")
  sky.addColorStop(0.55, "#f2a65e")
  sky.addColorStop(1, "#3b2a4a")
  context.fillStyle = sky
  context.fillRect(0, 0, 640, 400)
  context.fillStyle = "#fff3c4"
  circle(context, 470, 130, 46)
  for (let i = 0; i < 7; i++) {
    context.fillStyle = `hsl(${250 + 8 * i} 35% ${34 - 4 * i}%)`
    context.beginPath()
    context.moveTo(0, 400)
    for (let x = 0; x <= 640; x += 4)
      context.lineTo(x, 200 + 26 * i - 30 * Math.sin(x / (60 + 9 * i) + 2.1 * i))
    context.lineTo(640, 400)
    context.fill()
  }
  for (let i = 0; i < 60; i++) {
    context.fillStyle = i % 2 ? "#fff" : "#101014"
    context.fillRect(24 + 3 * i, 24, 3, 60)
  }
  for (let i = 0; i < 5; i++) {
    context.fillStyle = ["#e4572e", "#29b6a5", "#ffd23f", "#3d5afe", "#ffffff"][i]
    context.fillRect(24 + 40 * i, 104, 30, 30)
  }
  context.fillStyle = "#fff"
  context.font = "600 40px Georgia, serif"
  context.fillText("Blur me", 40, 330)
  return imageOf(canvas)
}

function circle(context, x, y, radius) {
  context.beginPath()
  context.arc(x, y, radius, 0, 7)
  context.fill()
}

// Returns the picture of a file, drawn on white. A picture that is larger than the page can show is made
// smaller.
async function filePicture(file) {
  const bitmap = await createImageBitmap(file)
  const scale = Math.min(1, LONGEST / Math.max(bitmap.width, bitmap.height))
  const [width, height] = [bitmap.width, bitmap.height].map((side) => Math.max(1, Math.round(side * scale)))
  const canvas = Object.assign(document.createElement("canvas"), { width, height })
  const context = canvas.getContext("2d", { willReadFrequently: true })
  context.fillStyle = "#fff"
  context.fillRect(0, 0, width, height)
  context.drawImage(bitmap, 0, 0, width, height)
  return imageOf(canvas)
}

let pictures = 0

function imageOf(canvas) {
  const { width, height } = canvas
  const pixels = canvas.getContext("2d").getImageData(0, 0, width, height).data
  return { id: ++pictures, width, height, pixels }
}

// Blurs the picture with the browser's own filter, `filter: blur()` on a canvas. The filter treats pixels
// outside the picture as transparent black. For the result, the edge pixels are therefore first repeated
// around the picture. For the time, the picture is blurred without this border.
function browserBlur({ width, height, pixels }, sigma) {
  const margin = Math.ceil(3 * sigma) + 1
  const [wide, tall] = [width + 2 * margin, height + 2 * margin]
  const padded = new ImageData(wide, tall)
  const from = new Uint32Array(pixels.buffer), to = new Uint32Array(padded.data.buffer)
  const inside = (i, count) => Math.min(Math.max(i - margin, 0), count - 1)
  for (let y = 0; y < tall; y++)
    for (let x = 0; x < wide; x++) to[y * wide + x] = from[inside(y, height) * width + inside(x, width)]
  const result = filtered(padded, sigma)
  const plain = canvasOf(new ImageData(pixels, width, height))
  const canvas = Object.assign(document.createElement("canvas"), { width, height })
  const context = canvas.getContext("2d", { willReadFrequently: true })
  if (!("filter" in context)) return null
  context.filter = `blur(${sigma}px)`
  const run = () => {
    context.drawImage(plain, 0, 0)
    // Reading a pixel makes sure that the browser has finished the blur.
    context.getImageData(0, 0, 1, 1)
  }
  const done = result.getImageData(margin, margin, width, height).data
  return { done, time: median(samples(run, 7, 8).times) }
}

function filtered(image, sigma) {
  const canvas = Object.assign(document.createElement("canvas"), { width: image.width, height: image.height })
  const context = canvas.getContext("2d", { willReadFrequently: true })
  context.filter = `blur(${sigma}px)`
  context.drawImage(canvasOf(image), 0, 0)
  return context
}

function canvasOf(image) {
  const canvas = Object.assign(document.createElement("canvas"), { width: image.width, height: image.height })
  canvas.getContext("2d").putImageData(image, 0, 0)
  return canvas
}
