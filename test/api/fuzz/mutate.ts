// Spoils one place of a body: another type, null, huge, odd, at an edge, gone, or with something beside it.

import type { Random } from '../../support/random-cron/random.ts'

const BAD_TEXTS = [
  '',
  ' ',
  '\u0000',
  'a\u202Eb',
  '\u200B',
  '１２３',
  '../../x',
  'constructor',
  '__proto__',
  'toString',
  'x'.repeat(127),
  'x'.repeat(100_000),
  '0 0 30 2 *',
  '@reboot',
  'rate(5 minutes)',
  'cron(0 10 * * ? *)',
  '0 0 12 ? * MON 2027',
  '* '.repeat(200),
  '60 * * * * *',
  '*/0 * * * *',
  'Etc/GMT+25',
  'europe/brussels',
  '0000-01-01T00:00:00Z',
  '2027-13-01T00:00:00Z',
  '2027-02-10T10:00:00',
  '275760-09-13T00:00:00Z',
  `tkr_abcdefgh_${'a'.repeat(43)}`,
]
const BAD_NUMBERS = [-1, 0, 0.5, 1.5, 1e9, 2 ** 31, 2 ** 53 - 1, -(2 ** 53), 1e300, 5e-324]

const spoiledValue = (random: Random): unknown =>
  random.pick<() => unknown>([
    () => null,
    () => random.pick(BAD_TEXTS),
    () => random.pick(BAD_TEXTS),
    () => random.pick(BAD_NUMBERS),
    () => random.chance(0.5),
    () => [],
    () => ({}),
    () => Array.from({ length: 600 }, () => random.pick(BAD_NUMBERS)),
    () => nested(random.between(15, 25)),
  ])()

const nested = (levels: number): unknown => (levels === 0 ? 1 : [nested(levels - 1)])

interface Place {
  readonly holder: Record<string, unknown>
  readonly key: string
}

function placesOf(value: unknown, found: Place[] = []): Place[] {
  if (typeof value !== 'object' || value === null) return found
  const holder = value as Record<string, unknown>
  for (const key of Object.keys(holder)) {
    found.push({ holder, key })
    placesOf(holder[key], found)
  }
  return found
}

export function mutated(body: unknown, random: Random): unknown {
  const root = { body: structuredClone(body) }
  const places = placesOf(root)
  const { holder, key } = random.pick(places)
  const value = holder[key]
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  if (isObject && random.chance(0.3)) {
    const added = random.pick(['extra', 'constructor', 'id', 'toString', 'a/b~c', 'x'.repeat(300)])
    holder[key] = { ...value, [added]: spoiledValue(random) }
  } else if (key !== 'body' && !Array.isArray(holder) && random.chance(0.25)) {
    delete holder[key]
  } else {
    holder[key] = spoiledValue(random)
  }
  return root.body
}

/** Text that is JSON no longer, or JSON that JSON.parse would read otherwise than it was meant. */
export function mutatedText(text: string, random: Random): string {
  const place = random.below(text.length + 1)
  const put = random.pick([
    '"a":1,"a":2,',
    '"__proto__":{},',
    '"\\u005f_proto__":{},',
    '"\\ud800"',
    '1e400',
    '9007199254740993',
    '\u0000',
    '\uFEFF',
    '[[[[[[[[[[[[[[[[[[[[[[[[',
    ',',
    '}',
    'NaN',
  ])
  return random.chance(0.2) ? text.slice(0, place) : text.slice(0, place) + put + text.slice(place)
}
