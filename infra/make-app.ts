// An app whose template does not depend on how it is made: feature flags stand in code, because only the CDK's own command reads cdk.json.

import { createRequire } from 'node:module'
import { App, type AppProps } from 'aws-cdk-lib'

const FLAGS: Record<string, unknown> = createRequire(import.meta.url)('aws-cdk-lib/recommended-feature-flags.json')

export const makeApp = (props: AppProps = {}): App => new App({ context: FLAGS, analyticsReporting: false, ...props })
