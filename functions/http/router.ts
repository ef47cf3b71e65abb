// Finds the route of a path. Hono's router does the matching; which methods a path has is said in Allow.

import { TrieRouter } from 'hono/router/trie-router'
import type { Route } from './route.ts'

export interface Matched {
  readonly route: Route
  readonly params: Readonly<Record<string, string>>
}

export interface Found {
  /** All that can be asked here, HEAD and OPTIONS too. */
  readonly methods: readonly string[]
  of(method: string): Matched | null
}

const MOST_PATH_CHARACTERS = 2000

export class Router {
  readonly #router = new TrieRouter<string>()
  readonly #routes = new Map<string, Map<string, Route>>()

  constructor(routes: readonly Route[]) {
    for (const route of routes) {
      const ofPath = this.#routes.get(route.path) ?? new Map<string, Route>()
      if (ofPath.size === 0) this.#router.add('ALL', route.path.replaceAll(/\{(\w+)\}/g, ':$1'), route.path)
      this.#routes.set(route.path, ofPath.set(route.method, route))
    }
  }

  find(path: string): Found | null {
    if (path.length > MOST_PATH_CHARACTERS) return null
    const [handlers] = this.#router.match('ALL', path)
    // A path with fewer parameters says more: /v1/jobs/batch is no job.
    const best = handlers.toSorted(([, a], [, b]) => Object.keys(a).length - Object.keys(b).length).at(0)
    if (best === undefined) return null
    const [pattern, params] = best
    const ofPath = this.#routes.get(pattern) as Map<string, Route>
    const methods = [...ofPath.keys(), ...(ofPath.has('GET') ? ['HEAD'] : []), 'OPTIONS'].sort()
    return {
      methods,
      of: (method) => {
        const route = ofPath.get(method)
        return route === undefined ? null : { route, params: { ...(params as Record<string, string>) } }
      },
    }
  }
}
