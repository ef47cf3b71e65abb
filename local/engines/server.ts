// A server in a process of its own. It ends when told, and also when this process dies, whatever the reason: it is tied to a pipe that
// closes then.

import { spawn } from 'node:child_process'
import { createServer } from 'node:net'

export interface RunningServer {
  readonly output: string
  stop(): Promise<void>
}

const READY_WITHIN_MS = 60_000

/** Elsewhere a server is tied to this process only as long as this process can end it. */
const HAS_SHELL = process.platform !== 'win32'

function spawnTied(command: string, args: readonly string[], cwd: string | undefined) {
  const tiedToPipe =
    'exec 3<&0; "$0" "$@" </dev/null & server=$!; (cat <&3 >/dev/null; kill $server 2>/dev/null) & wait $server'
  const [program, ...rest] = HAS_SHELL ? ['sh', '-c', tiedToPipe, command, ...args] : [command, ...args]
  return spawn(program, rest, { stdio: ['pipe', 'pipe', 'pipe'], cwd })
}

/** `isReady` looks at all that the server has printed so far. */
export function startServer(
  command: string,
  args: readonly string[],
  isReady: (output: string) => boolean,
  cwd?: string,
): Promise<RunningServer> {
  const child = spawnTied(command, args, cwd)
  const ended = new Promise<void>((resolve) => child.on('close', () => resolve()))
  const stop = () => {
    child.stdin.end()
    if (!HAS_SHELL) child.kill()
    return ended
  }
  return new Promise((resolve, reject) => {
    let output = ''
    const fail = (why: string) => {
      void stop()
      reject(new Error(`${command} ${why}:\n${output}`))
    }
    const timer = setTimeout(() => fail('was not ready in time'), READY_WITHIN_MS)
    const read = (data: Buffer) => {
      output += data
      if (!isReady(output)) return
      clearTimeout(timer)
      resolve({ output, stop })
    }
    child.stdout.on('data', read)
    child.stderr.on('data', read)
    child.on('error', reject)
    void ended.then(() => fail('ended before it was ready'))
  })
}

/** A port of loopback that is free. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.on('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address()
      const port = typeof address === 'object' && address !== null ? address.port : 0
      probe.close(() => resolve(port))
    })
  })
}
