// Takes the place of the SDK's chain of credential providers in the bundles. On Lambda credentials are in the environment, and without the
// other providers a function is smaller and loads in less than half the time.

export { fromEnv as defaultProvider } from '@aws-sdk/credential-provider-env'
