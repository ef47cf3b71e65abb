// A world of which every call waits for something else first: how tests come between any two steps of a process.

/** The clock, chance and logs are left alone; so is the load of a shard, which is no single call. */
const FREE = ['nowMs', 'newId', 'random', 'warn', 'log', 'until', 'load']

/** Told of a call by its number, its name, the part of the world that it is made of, and what it is given. */
export type Act = (call: number, name: string, part: string, parameters: readonly unknown[]) => Promise<unknown>

export function beforeEveryCall<World extends object>(world: World, act: Act): World {
  let calls = 0
  const watched = <Part extends object>(part: Part, partName = ''): Part =>
    new Proxy(part, {
      get(target, name) {
        const member: unknown = Reflect.get(target, name)
        if (typeof member === 'object' && member !== null) return watched(member, String(name))
        if (typeof member !== 'function') return member
        if (FREE.includes(String(name))) return member.bind(target)
        return async (...parameters: unknown[]) => {
          calls += 1
          await act(calls, String(name), partName, parameters)
          return Reflect.apply(member, target, parameters)
        }
      },
    })
  return watched(world)
}
