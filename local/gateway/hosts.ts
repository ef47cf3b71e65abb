// The names under which the API of this machine may be asked for. A request that names another is refused, so that a page of another site
// cannot reach it by a name of its own.

import { networkInterfaces } from 'node:os'

const LOOPBACK = ['127.0.0.1', 'localhost', '[::1]']

export const isLoopback = (host: string): boolean => LOOPBACK.includes(host) || host === '::1'

export function hostsAt(host: string, port: number): string[] {
  return namesOf(host).map((name) => `${name}:${port}`)
}

function namesOf(host: string): string[] {
  if (isLoopback(host)) return LOOPBACK
  const own = Object.values(networkInterfaces()).flatMap((all) => (all ?? []).map(({ address }) => address))
  return [...LOOPBACK, host, ...own.map((address) => (address.includes(':') ? `[${address}]` : address))]
}
