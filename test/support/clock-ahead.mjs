// Loaded before a function: its machine's clock is ahead by CLOCK_AHEAD_MS.

const aheadMs = Number(process.env.CLOCK_AHEAD_MS)
const Real = Date
globalThis.Date = class extends Real {
  constructor(...parts) {
    super(...(parts.length === 0 ? [Real.now() + aheadMs] : parts))
  }

  static now() {
    return Real.now() + aheadMs
  }
}
