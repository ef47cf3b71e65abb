// A world that can be cut off: from then on no call of its parts is answered, whether it had its effect or not. This is
// how a process looks from outside when it dies, and it can be done at any call.

export interface Killable<World> {
  readonly world: World
  kill(): void
  /** How many calls were made so far, by the names of their methods. */
  readonly calls: readonly string[]
}

export interface KillPoint {
  /** Dies at the nth call, counted from 1. */
  readonly call: number
  /** Whether that call still has its effect. */
  readonly when: 'before' | 'after'
}

/** Calls of the clock and of logs are not counted; everything else is. */
const FREE = ['nowMs', 'newId', 'random', 'warn', 'log', 'close']

export function killable<World extends object>(world: World, point?: KillPoint): Killable<World> {
  const calls: string[] = []
  let isDead = false
  const guard =
    (call: (...parameters: unknown[]) => unknown, name: string) =>
    (...parameters: unknown[]) => {
      if (FREE.includes(name)) return call(...parameters)
      if (isDead) return dead()
      calls.push(name)
      const isHere = point !== undefined && calls.length === point.call
      if (isHere && point.when === 'before') {
        isDead = true
        return dead()
      }
      const result = call(...parameters)
      if (!(result instanceof Promise)) return result
      return result.then((value: unknown) => {
        if (isHere) isDead = true
        return isDead ? dead() : value
      })
    }
  // One that is dead neither answers nor fails: it hangs, as a process that is gone does.
  const dead = () => new Promise<never>(() => {})
  const wrap = <Part extends object>(part: Part): Part =>
    new Proxy(part, {
      get(target, name) {
        const member: unknown = Reflect.get(target, name)
        if (typeof member === 'function')
          return guard((...parameters) => Reflect.apply(member, target, parameters), String(name))
        return typeof member === 'object' && member !== null ? wrap(member) : member
      },
    })
  return {
    world: wrap(world),
    kill: () => {
      isDead = true
    },
    calls,
  }
}
