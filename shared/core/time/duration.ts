// How people write how long: whole seconds, or a number with one unit. Inside, a duration is a number of seconds.

const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 }
const DURATION = /^(\d{1,9})([smhd])$/

/** 90, "90s", "5m", "2h", "1d" as seconds; null for anything else. */
export function parseDuration(value: string | number): number | null {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? value : null
  const parts = DURATION.exec(value)
  return parts === null ? null : Number(parts[1]) * UNITS[parts[2]]
}
