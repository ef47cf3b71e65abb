// Zones by their IANA names, checked so that a misspelt one is an error with the right name in it.

import { InputError } from '../errors.ts'
import { Zone } from './zone.ts'

const zones = new Map<string, Zone>()

const LONGEST_NAME = 64
/** There are some 600 names; more come only from odd spellings of them. */
const MOST_NAMES = 2000
/** Names without a place. Other short ones (BST, AST) mean different things to different people, and to ICU yet another. */
const SHORT_NAMES = new Set(['UTC', 'GMT'])
const SPELLED_LIKE_A_PLACE = /^[A-Z][A-Za-z0-9+_-]*(\/[A-Z][A-Za-z0-9+_-]*){1,2}$/

/** The platform's names by their lower-case form, because Intl itself takes any case silently. */
const LISTED = new Map(Intl.supportedValuesOf('timeZone').map((name) => [name.toLowerCase(), name]))

/** Every user of a zone shares its tables, under whichever of its names. */
export function zoneOf(name: string): Zone {
  const known = zones.get(name)
  if (known !== undefined) return known
  const format = formatOf(name)
  if (format === null) throw unknownZone(name)
  if (zones.size >= MOST_NAMES) zones.clear()
  const canonical = format.resolvedOptions().timeZone
  const zone = zones.get(canonical) ?? new Zone(canonical, format)
  zones.set(canonical, zone)
  zones.set(name, zone)
  return zone
}

function formatOf(name: string): Intl.DateTimeFormat | null {
  const listed = LISTED.get(name.slice(0, LONGEST_NAME).toLowerCase())
  const isSpelledRight =
    listed === undefined ? SPELLED_LIKE_A_PLACE.test(name) || SHORT_NAMES.has(name) : listed === name
  if (name.length > LONGEST_NAME || !isSpelledRight) return null
  try {
    return new Intl.DateTimeFormat('en-US', {
      timeZone: name,
      hourCycle: 'h23',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
    })
  } catch {
    return null
  }
}

function unknownZone(name: string): InputError {
  const meant = LISTED.get(name.slice(0, LONGEST_NAME).toLowerCase()) ?? zoneOfCity(name.slice(0, LONGEST_NAME))
  return new InputError({
    code: 'zone.unknown',
    field: 'zone',
    value: name,
    problem: 'is not an IANA time zone',
    remedy: meant === undefined ? 'Use a name such as UTC, Europe/Brussels or America/New_York' : `Use ${meant}`,
  })
}

function zoneOfCity(name: string): string | undefined {
  const ending = `/${name.toLowerCase().replaceAll(' ', '_')}`
  return LISTED.get([...LISTED.keys()].find((zone) => zone.endsWith(ending)) ?? '')
}
