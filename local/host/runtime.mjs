// What a child process runs as one environment of a function: it loads the bundle, takes one event after the other from its parent and hands
// back the answers. It stands for Lambda's runtime. Plain JavaScript, because stripping types takes each process time and memory.

import { pathToFileURL } from 'node:url'

const [file, exportName] = process.argv.slice(2)

const told = (error) =>
  error instanceof Error
    ? { name: error.name, message: error.message, stack: error.stack }
    : { name: 'Error', message: String(error) }

// A parent that is gone, however it went, must not leave its functions behind.
process.on('disconnect', () => process.exit(0))

try {
  const { [exportName]: handler } = await import(pathToFileURL(file).href)
  process.on('message', async ({ call, event, context: { deadlineMs, ...context } }) => {
    try {
      const full = { ...context, getRemainingTimeInMillis: () => Math.max(0, deadlineMs - Date.now()) }
      process.send({ call, answer: await handler(event, full) })
    } catch (error) {
      process.send({ call, error: told(error) })
    }
  })
  process.send({ ready: true })
} catch (error) {
  process.send({ broken: told(error) }, () => process.exit(1))
}
