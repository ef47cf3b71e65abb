// What is compiled on Lambda: asks the Runtime API for events and hands back answers. There `done` returns when the answer was taken; here
// the next event is asked for only then, which is the same for the function.

import { Agent, request } from 'node:http'

const agent = new Agent({ keepAlive: true, maxSockets: 1 })
const [hostname, port] = (process.env.AWS_LAMBDA_RUNTIME_API ?? '').split(':')
let handedBack = Promise.resolve()

function call(method, path, body = '') {
  return new Promise((resolve, reject) => {
    const whole = `/2018-06-01/runtime/invocation/${path}`
    const asking = request({ hostname, port, method, path: whole, agent }, (answer) => {
      let bodyJson = ''
      answer.setEncoding('utf8')
      answer.on('data', (part) => {
        bodyJson += part
      })
      answer.on('end', () => resolve({ bodyJson, headers: answer.headers }))
    })
    asking.on('error', reject)
    asking.end(body)
  })
}

export async function next() {
  await handedBack
  return call('GET', 'next')
}

export function done(id, answer) {
  handedBack = call('POST', `${id}/response`, answer)
}

export function error(id, answer) {
  handedBack = call('POST', `${id}/error`, answer)
}
