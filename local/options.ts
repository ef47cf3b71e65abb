// The flags of `npm start`, read and explained. It knows the words on the command line and does nothing about them.

import { parseArgs } from 'node:util'

export interface RunOptions {
  readonly type: 'run'
  /** Null where it runs until it is told to end. */
  readonly seconds: number | null
  readonly isPlain: boolean
  readonly port: number
  readonly host: string
  readonly data: string
  readonly isFresh: boolean
  readonly hasSamples: boolean
  /** The file whose default export is `defineHandlers({ … })`; null for the handlers that come with Tickring. */
  readonly handlers: string | null
  /** Whether services take as long as on AWS. */
  readonly hasAwsLatency: boolean
  /** Of the latencies that are drawn. */
  readonly seed: number
}

export type Options = RunOptions | { readonly type: 'help' } | { readonly type: 'wrong'; readonly problem: string }

/** A day. Timers of Node end at 24 days and would then fire at once. */
const MOST_SECONDS = 86_400
const MOST_PORT = 65_535
const MOST_SEED = 99_999

const DEFAULTS: RunOptions = {
  type: 'run',
  seconds: null,
  isPlain: false,
  port: 4620,
  host: '127.0.0.1',
  data: '.tickring',
  isFresh: false,
  hasSamples: true,
  handlers: null,
  hasAwsLatency: false,
  seed: 1,
}

export const HELP = `Tickring: a whole stack on this machine, with its HTTP API and a ring of 60 seconds in the terminal.

npm start -- [flags]
  --port N        serves the API on this port, ${DEFAULTS.port} by default; 0 takes a free one
  --host NAME     listens on this address, ${DEFAULTS.host} by default; any other needs an admin key from an earlier start
  --data FOLDER   keeps jobs, runs and the admin key here, ${DEFAULTS.data} by default
  --fresh         forgets all of that first
  --no-samples    saves no sample jobs; nor does a start with --handlers
  --handlers FILE runs the handlers of this file, functions/handlers.ts by default; saving it takes the new ones in
  --latency WHAT  none, or aws: bus, queues, table and cold starts take as long as published figures say
  --seed N        draws other latencies, 1 by default
  --seconds N     ends by itself after N seconds, 1 to ${MOST_SECONDS}
  --plain         prints one line a fire instead of the ring; so does a pipe or a small terminal
  --help          prints this
Colours are left out where NO_COLOR is set.
`

const FLAGS = {
  port: { type: 'string' },
  host: { type: 'string' },
  data: { type: 'string' },
  fresh: { type: 'boolean' },
  'no-samples': { type: 'boolean' },
  handlers: { type: 'string' },
  latency: { type: 'string' },
  seed: { type: 'string' },
  seconds: { type: 'string' },
  plain: { type: 'boolean' },
  help: { type: 'boolean' },
} as const

type Read = Partial<RunOptions> | { readonly problem: string }

const wrong = (problem: string): Read => ({ problem })

/** What each flag says; null for one that there is not. */
function readFlag(name: string, value: string | undefined): Read | null {
  switch (name) {
    case 'port': {
      const port = wholeNumber(value, 0, MOST_PORT)
      return port === null ? wrong(`--port takes a whole number, 0 to ${MOST_PORT}.`) : { port }
    }
    case 'host':
      return value === undefined || value === ''
        ? wrong('--host takes an address, such as 127.0.0.1.')
        : { host: value }
    case 'data':
      return value === undefined || value === '' ? wrong('--data takes a folder.') : { data: value }
    case 'handlers':
      return value === undefined || value === '' ? wrong('--handlers takes a file.') : { handlers: value }
    case 'latency':
      return value === 'none' || value === 'aws'
        ? { hasAwsLatency: value === 'aws' }
        : wrong('--latency takes none or aws.')
    case 'seed': {
      const seed = wholeNumber(value, 0, MOST_SEED)
      return seed === null ? wrong(`--seed takes a whole number, 0 to ${MOST_SEED}.`) : { seed }
    }
    case 'seconds': {
      const seconds = wholeNumber(value, 1, MOST_SECONDS)
      return seconds === null ? wrong(`--seconds takes a whole number, 1 to ${MOST_SECONDS}.`) : { seconds }
    }
    case 'fresh':
      return value === undefined ? { isFresh: true } : null
    case 'no-samples':
      return value === undefined ? { hasSamples: false } : null
    case 'plain':
      return value === undefined ? { isPlain: true } : null
    default:
      return null
  }
}

export function readOptions(args: readonly string[]): Options {
  const { tokens } = parseArgs({ args: [...args], options: FLAGS, strict: false, tokens: true })
  let options = DEFAULTS
  for (const token of tokens) {
    if (token.kind === 'option' && token.name === 'help' && token.value === undefined) return { type: 'help' }
    const read = token.kind === 'option' ? readFlag(token.name, token.value) : null
    if (read === null) return { type: 'wrong', problem: `${args[token.index]} is not a flag.` }
    if ('problem' in read) return { type: 'wrong', problem: read.problem }
    options = { ...options, ...read }
  }
  return options
}

function wholeNumber(text: string | undefined, least: number, most: number): number | null {
  const value = /^\d{1,5}$/.test(text ?? '') ? Number(text) : -1
  return value >= least && value <= most ? value : null
}
