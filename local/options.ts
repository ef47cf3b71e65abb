// The flags of `npm start`, read and explained. It knows the words on the command line and does nothing about them.

import { parseArgs } from 'node:util'

export type Options =
  | { readonly type: 'run'; readonly seconds: number | null; readonly isPlain: boolean }
  | { readonly type: 'help' }
  | { readonly type: 'wrong'; readonly problem: string }

/** A day. Timers of Node end at 24 days and would then fire at once. */
const MOST_SECONDS = 86_400

export const HELP = `Tickring: sample jobs on a whole stack of this machine, as a ring of 60 seconds in the terminal.

npm start -- [flags]
  --seconds N   ends by itself after N seconds, 1 to ${MOST_SECONDS}
  --plain       prints one line a fire instead of the ring; so does a pipe or a small terminal
  --help        prints this
Colours are left out where NO_COLOR is set.
`

const FLAGS = {
  seconds: { type: 'string' },
  plain: { type: 'boolean' },
  help: { type: 'boolean' },
} as const

export function readOptions(args: readonly string[]): Options {
  const { tokens } = parseArgs({ args: [...args], options: FLAGS, strict: false, tokens: true })
  let seconds: number | null = null
  let isPlain = false
  for (const token of tokens) {
    if (token.kind !== 'option') return { type: 'wrong', problem: `${args[token.index]} is not a flag.` }
    const hasValue = token.value !== undefined
    if (token.name === 'help' && !hasValue) return { type: 'help' }
    if (token.name === 'plain' && !hasValue) isPlain = true
    else if (token.name === 'seconds') {
      seconds = wholeNumber(token.value)
      if (seconds === null) return { type: 'wrong', problem: `--seconds takes a whole number, 1 to ${MOST_SECONDS}.` }
    } else return { type: 'wrong', problem: `${args[token.index]} is not a flag.` }
  }
  return { type: 'run', seconds, isPlain }
}

function wholeNumber(text: string | undefined): number | null {
  const value = /^\d{1,5}$/.test(text ?? '') ? Number(text) : 0
  return value >= 1 && value <= MOST_SECONDS ? value : null
}
