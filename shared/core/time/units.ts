// Seconds, minutes and hours since 1970, as the keys of items and the rules use them.

export const secondOf = (ms: number): number => Math.floor(ms / 1000)
export const minuteOf = (second: number): number => Math.floor(second / 60)
export const hourOf = (second: number): number => Math.floor(second / 3600)
