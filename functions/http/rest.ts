// A rest in long work, which the event loop uses for other requests and for tickers of the same process.

export const rest = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
