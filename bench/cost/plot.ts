// Draws dollars a month over triggers a month as an SVG, both axes by powers of ten.

import type { Figures } from './figures.ts'
import { boxes, scheduler, tickringFull, tickringThin } from './volume.ts'

const [WIDTH, HEIGHT] = [760, 440]
const [LEFT, RIGHT, TOP, BOTTOM] = [64, 190, 40, 52]
/** Powers of ten. */
const [FEWEST, MOST] = [5, 9]
const [CHEAPEST, DEAREST] = [-1, 3]
const STEPS = 120

const xOf = (power: number): number => LEFT + ((power - FEWEST) / (MOST - FEWEST)) * (WIDTH - LEFT - RIGHT)
const yOf = (power: number): number =>
  HEIGHT - BOTTOM - ((power - CHEAPEST) / (DEAREST - CHEAPEST)) * (HEIGHT - TOP - BOTTOM)
const rounded = (value: number): string => value.toFixed(1)

const powers = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, n) => from + n)
const triggersText = (power: number): string => (power < 6 ? `${10 ** (power - 3)} k` : `${10 ** (power - 6)} M`)

const text = (x: number, y: number, anchor: string, words: string): string =>
  `<text x="${rounded(x)}" y="${rounded(y)}" text-anchor="${anchor}">${words}</text>`

const rule = (x1: number, y1: number, x2: number, y2: number): string =>
  `<line x1="${rounded(x1)}" y1="${rounded(y1)}" x2="${rounded(x2)}" y2="${rounded(y2)}" stroke="#ddd"/>`

function line(dollars: (triggers: number) => number, colour: string, dashes = ''): string {
  const points = Array.from({ length: STEPS + 1 }, (_, step) => {
    const power = FEWEST + (step / STEPS) * (MOST - FEWEST)
    return { power, high: Math.log10(dollars(10 ** power)) }
  })
    .filter(({ high }) => high >= CHEAPEST && high <= DEAREST)
    .map(({ power, high }) => `${rounded(xOf(power))},${rounded(yOf(high))}`)
  return `<polyline points="${points.join(' ')}" fill="none" stroke="${colour}" stroke-width="2" stroke-dasharray="${dashes}"/>`
}

/** The word for a line stands where it leaves the picture. */
function label(dollars: (triggers: number) => number, colour: string, words: string, down = 0): string {
  const high = Math.min(DEAREST, Math.log10(dollars(10 ** MOST)))
  return `<g fill="${colour}">${text(xOf(MOST) + 8, yOf(high) + 4 + down, 'start', words)}</g>`
}

export function plot(figures: Figures): string {
  const full = (triggers: number) => tickringFull(figures, triggers)
  const thin = (triggers: number) => tickringThin(figures, triggers)
  const lines = [
    { of: full, colour: '#0a6', words: 'Tickring, 24 a page', dashes: '' },
    // Beyond one run a second the two meet, so this word stands below the other.
    { of: thin, colour: '#0a6', words: '- - spread evenly', dashes: '5 4', down: 16 },
    { of: scheduler, colour: '#c60', words: 'EventBridge Scheduler', dashes: '' },
    { of: boxes, colour: '#57a', words: 'two boxes, a database', dashes: '' },
  ]
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="12" fill="#333">`,
    '<title>What a month costs by how much is triggered in it</title>',
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="#fff"/>`,
    text(LEFT, 22, 'start', 'Dollars a month, by triggers a month (one shard, always awake)'),
    ...powers(FEWEST, MOST).flatMap((power) => [
      rule(xOf(power), TOP, xOf(power), HEIGHT - BOTTOM),
      text(xOf(power), HEIGHT - BOTTOM + 20, 'middle', triggersText(power)),
    ]),
    ...powers(CHEAPEST, DEAREST).flatMap((power) => [
      rule(LEFT, yOf(power), WIDTH - RIGHT, yOf(power)),
      text(LEFT - 8, yOf(power) + 4, 'end', `$${Number((10 ** power).toFixed(2))}`),
    ]),
    ...lines.map(({ of, colour, dashes }) => line(of, colour, dashes)),
    ...lines.map(({ of, colour, words, down }) => label(of, colour, words, down)),
    '</svg>',
    '',
  ].join('\n')
}
