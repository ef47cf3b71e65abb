// Loaded before Lambda's runtime client: gives it rapid-client.mjs where it asks for its compiled connection to Lambda. Both are plain
// JavaScript, because reading TypeScript would count as time that a function takes to start.

import { registerHooks } from 'node:module'

const connection = new URL('rapid-client.mjs', import.meta.url).href

registerHooks({
  resolve: (specifier, context, next) =>
    specifier === './rapid-client.node' ? { url: connection, shortCircuit: true } : next(specifier, context),
})
