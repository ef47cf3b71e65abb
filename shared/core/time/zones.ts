// Zones by their IANA names, checked so that a misspelt one is an error with the right name in it.

import { InputError } from '../errors.ts'
import { Zone } from './zone.ts'

const zones = new Map<string, Zone>()

/** Every user of a zone shares its table; there are a few hundred zones, so the map is bounded by its keys. */
export function zoneOf(name: string): Zone {
  const known = zones.get(name)
  if (known !== undefined) return known
  const zone = new Zone(name, formatOf(name))
  zones.set(name, zone)
  return zone
}

const SPELLED_LIKE_A_ZONE = /^[A-Z][A-Za-z0-9+_-]*(\/[A-Z][A-Za-z0-9+_-]*){0,2}$/

function formatOf(name: string): Intl.DateTimeFormat {
  const spelling = knownSpelling(name)
  if (SPELLED_LIKE_A_ZONE.test(name) && (spelling === undefined || spelling === name)) {
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
      // An unknown name is the user's mistake and gets the same answer as a misspelt one.
    }
  }
  const meant = spelling ?? zoneOfCity(name)
  throw new InputError({
    code: 'zone.unknown',
    field: 'zone',
    value: name,
    problem: 'is not an IANA time zone',
    remedy: meant === undefined ? 'Use a name such as UTC, Europe/Brussels or America/New_York' : `Use ${meant}`,
  })
}

/** The listed zone that differs from the name by upper and lower case at most. Intl would take either silently. */
function knownSpelling(name: string): string | undefined {
  return Intl.supportedValuesOf('timeZone').find((zone) => zone.toLowerCase() === name.toLowerCase())
}

function zoneOfCity(name: string): string | undefined {
  const ending = `/${name.toLowerCase().replaceAll(' ', '_')}`
  return Intl.supportedValuesOf('timeZone').find((zone) => zone.toLowerCase().endsWith(ending))
}
