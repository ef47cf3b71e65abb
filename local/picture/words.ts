// Moments and durations in the few characters that a screen has for them. Pure text.

import { formatLocal } from '../../shared/core/time/instant.ts'
import { NEVER } from '../../shared/core/time/instants.ts'
import type { Zone } from '../../shared/core/time/zone.ts'
import type { Figures, Happening } from './view.ts'

const localText = (second: number, zone: Zone): string => formatLocal(second, zone.offsetAt(second))

/** 03:12:05 on the clocks of a zone. */
export const clockText = (second: number, zone: Zone): string => localText(second, zone).slice(11, 19)

/** UTC, or UTC+01:00: shorter than the zone's name and right about summer time. */
export function offsetText(second: number, zone: Zone): string {
  const offset = localText(second, zone).slice(19)
  return offset === '+00:00' ? 'UTC' : `UTC${offset}`
}

const UNITS: readonly [string, number][] = [
  ['d', 86_400],
  ['h', 3600],
  ['min', 60],
  ['s', 1],
]

/** The two largest units at most: 12 s, 3 min, 11 h 20 min, 2 d 6 h. */
export function durationText(seconds: number): string {
  const largest = UNITS.findIndex(([, size]) => seconds >= size)
  if (largest < 0) return '0 s'
  const [unit, size] = UNITS[largest]
  const text = `${Math.floor(seconds / size)} ${unit}`
  if (unit === 's') return text
  const [smallerUnit, smallerSize] = UNITS[largest + 1]
  const rest = Math.floor((seconds % size) / smallerSize)
  return rest === 0 ? text : `${text} ${rest} ${smallerUnit}`
}

export const untilText = (instant: number, now: number): string =>
  instant === NEVER ? 'never' : durationText(instant - now)

export const latenessText = (latenessMs: number | null): string => (latenessMs === null ? '–' : `+${latenessMs} ms`)

/** 12,345 fired, late p50 12 ms, p99 80 ms, 1 running, 0 failed; what was missed only where there is any. */
export function figuresText({ fired, running, failed, missed, lateness }: Figures): string {
  const late = lateness === null ? 'no lateness yet' : `late p50 ${lateness.p50Ms} ms, p99 ${lateness.p99Ms} ms`
  const parts = [`${countText(fired)} fired`, late, `${countText(running)} running`, `${countText(failed)} failed`]
  return [...parts, ...(missed > 0 ? [`${countText(missed)} missed`] : [])].join(', ')
}

export const countText = (count: number): string => count.toLocaleString('en-US')

const missedText = (count: number): string =>
  `missed ${countText(count)} ${count === 1 ? 'run' : 'runs'}, each counted in the ledger`

/** Where `width` has no room for the lateness it is left out: half a number would be a wrong one. */
export function happeningText(happening: Happening, zone: Zone, nameWidth: number, width = 80): string {
  const time = clockText(happening.second, zone)
  if (happening.type === 'missed') return clipText(`${time}  ${missedText(happening.count)}`, width)
  if (happening.type === 'many') return clipText(`${time}  ${countText(happening.count)} runs`, width)
  const text = `${time}  ${happening.name.padEnd(nameWidth)}  ${startText(happening)}`
  return text.length <= width ? text : clipText(`${time}  ${happening.name}`, width)
}

/** How late it began. An attempt that is not the first is late for nothing. */
function startText({ attempt, latenessMs }: Happening & { readonly type: 'fired' }): string {
  if (attempt > 1) return `attempt ${attempt}`
  return latenessMs === null ? 'running' : latenessText(latenessMs)
}

export const clipText = (text: string, width: number): string =>
  text.length <= width ? text : `${text.slice(0, Math.max(width - 1, 0))}…`

/** Lines of at most `width` characters, broken at spaces. */
export function wrapText(text: string, width: number): string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`
    if (longer.length > width && line !== '') {
      lines.push(line)
      line = word
    } else line = longer
  }
  return [...lines, line]
}
