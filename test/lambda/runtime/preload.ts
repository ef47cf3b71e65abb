// Loaded before Lambda's runtime client: gives it rapid-client.ts where it asks for its compiled connection to Lambda.

import { registerHooks } from 'node:module'

const connection = new URL('rapid-client.ts', import.meta.url).href

registerHooks({
  resolve: (specifier, context, next) =>
    specifier === './rapid-client.node' ? { url: connection, shortCircuit: true } : next(specifier, context),
})
