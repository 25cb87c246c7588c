// Measures the times of blurs. The clock of a browser has a resolution of a tenth of a millisecond at best,
// so a sample consists of many blurs.

// Measures the time of one call in milliseconds, in `count` samples. Each sample has enough calls to take
// about `least` milliseconds or more. If a call takes `LONG` milliseconds or more, there is only one sample.
const LONG = 400

function samples(body, count, least) {
  let calls = 1
  for (;;) {
    const time = timed(body, calls)
    // The calls are timed a second time, because the first ones include the time for compiling the code, and
    // other programs can have delayed them.
    if (calls === 1 && time >= LONG) return { calls, times: [time] }
    if (time >= least && timed(body, calls) >= least / 2) break
    calls = time > least / 10 ? Math.ceil(calls * Math.max(1.1, (1.2 * least) / time)) : calls * 8
  }
  return { calls, times: Array.from({ length: count }, () => timed(body, calls) / calls) }
}

function timed(body, calls) {
  const start = performance.now()
  for (let i = 0; i < calls; i++) body()
  return performance.now() - start
}

const median = (values) => [...values].sort((a, b) => a - b)[values.length >> 1]
