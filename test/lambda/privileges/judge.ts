// Decides as IAM does whether a policy allows a request.

import { runSimulation } from '@cloud-copilot/iam-simulate'
import { ACCOUNT } from '../../../local/template/intrinsics.ts'
import type { Policy } from '../template.ts'
import { type AccessRequest, prefixOf } from './requests.ts'

/** As IAM decides. */
export async function isAllowed(
  policy: Policy,
  { by, action, resource, leadingKeys }: AccessRequest,
): Promise<boolean> {
  const response = await runSimulation(
    {
      identityPolicies: [{ name: by, policy }],
      serviceControlPolicies: [],
      resourceControlPolicies: [],
      request: {
        action,
        principal: `arn:aws:iam::${ACCOUNT}:role/${by}`,
        resource: { resource, accountId: ACCOUNT },
        contextVariables: leadingKeys.length === 0 ? {} : { 'dynamodb:LeadingKeys': [...leadingKeys] },
      },
    },
    {},
  )
  if (response.resultType === 'error') throw new Error(JSON.stringify(response.errors))
  return response.overallResult === 'Allowed'
}

/** One of each kind: keys of the same prefix are judged alike. */
export function kindsOf(requests: readonly AccessRequest[]): AccessRequest[] {
  const kinds = new Map<string, AccessRequest>()
  for (const request of requests) {
    const { by, action, resource, leadingKeys } = request
    kinds.set(JSON.stringify([by, action, resource, [...new Set(leadingKeys.map(prefixOf))].sort()]), request)
  }
  return [...kinds.values()]
}
