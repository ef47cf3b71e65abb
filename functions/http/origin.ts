// Which hosts and origins are served. A page of another site that reaches a local port by a name of its own, or sends a form to it, is
// refused on every verb.

import type { GatewayEvent } from './gateway.ts'
import { Problem } from './problem.ts'
import type { ApiSettings } from './world.ts'

type Served = Pick<ApiSettings, 'hosts' | 'origins'>

/** Where the gateway in front lets only our domains through, the host that was asked is ours. */
const ownOrigins = ({ hosts }: Served, host: string | undefined): string[] =>
  (hosts.length > 0 || host === undefined ? hosts : [host]).flatMap((each) => [`http://${each}`, `https://${each}`])

/** Of pages without an origin, such as files and sandboxes: it names no site. */
const NO_ORIGIN = 'null'

const isConfigured = (origin: string, { origins }: Served): boolean => origin !== NO_ORIGIN && origins.includes(origin)

export function refuseOrigin(headers: GatewayEvent['headers'], served: Served): void {
  const host = headers.host?.toLowerCase()
  if (served.hosts.length > 0 && (host === undefined || !served.hosts.includes(host))) {
    throw new Problem('bad-origin', `this host is not served here. Use ${served.hosts[0]}`)
  }
  const { origin } = headers
  if (origin === undefined) return
  const isOurs = isConfigured(origin, served) || ownOrigins(served, host).includes(origin.toLowerCase())
  if (!isOurs)
    throw new Problem('bad-origin', 'pages of this origin may not call. Deploy with it among the CORS origins')
}

export function corsHeaders({ origin }: GatewayEvent['headers'], served: Served): Record<string, string> {
  if (origin === undefined || !isConfigured(origin, served)) return {}
  return {
    'access-control-allow-origin': origin,
    'access-control-allow-methods': 'GET, PUT, POST, PATCH, DELETE',
    'access-control-allow-headers':
      'authorization, content-type, if-match, if-none-match, idempotency-key, prefer, tickring-actor',
    'access-control-expose-headers':
      'etag, location, ratelimit, ratelimit-policy, retry-after, x-request-id, idempotency-replayed, preference-applied',
    vary: 'origin',
  }
}
