// Tags as a query names them: team:billing,env.

import type { TagWish } from '../../shared/core/job/search.ts'

export function tagsOf(text: string | undefined): TagWish[] {
  if (text === undefined || text === '') return []
  return text.split(',').map((part) => {
    const place = part.indexOf(':')
    return place < 0 ? { key: part, value: null } : { key: part.slice(0, place), value: part.slice(place + 1) }
  })
}
