// Times of blurs. Browsers' clocks are coarse, a tenth of a millisecond at best: a sample is many blurs.

// Milliseconds of one call, in `count` samples of about `least` or more; in one where calls are long.
const LONG = 400

function samples(body, count, least) {
  let calls = 1
  for (;;) {
    const time = timed(body, calls)
    // Once more: the first calls compile the code, and others may have held them up.
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
