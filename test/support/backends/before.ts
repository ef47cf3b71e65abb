// A store that does something else first whenever one of its methods is called: how tests put themselves between two steps.

export function before<Store extends object>(store: Store, method: keyof Store, act: () => Promise<unknown>): Store {
  return new Proxy(store, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name)
      if (typeof member !== 'function') return member
      if (name !== method) return member.bind(target)
      return async (...parameters: unknown[]) => {
        await act()
        return Reflect.apply(member, target, parameters)
      }
    },
  })
}
