// SQS in a process of its own, so that it takes no time from those who use it: listens on a free port of loopback and says
// where.

import { buildApp } from 'fauxqs'

const app = buildApp({ logger: false, host: '127.0.0.1' })
console.log(`listening on ${await app.listen({ host: '127.0.0.1', port: 0 })}`)
