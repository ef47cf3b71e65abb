// The custom metrics that lines in CloudWatch's embedded format make: one for each name and each set of values of its dimensions.

import * as z from 'zod'

const embedded = z.looseObject({
  _aws: z.object({
    CloudWatchMetrics: z.array(
      z.object({
        Namespace: z.string(),
        Dimensions: z.array(z.array(z.string())),
        Metrics: z.array(z.object({ Name: z.string() })),
      }),
    ),
  }),
})

export function metricsIn(lines: readonly string[]): string[] {
  const found = new Set<string>()
  for (const line of lines) {
    if (!line.includes('"_aws"')) continue
    const values = embedded.parse(JSON.parse(line))
    for (const { Namespace, Dimensions, Metrics } of values._aws.CloudWatchMetrics)
      for (const dimensions of Dimensions)
        for (const { Name } of Metrics)
          found.add([Namespace, Name, ...dimensions.map((name) => `${name}=${String(values[name])}`)].join(' '))
  }
  return [...found].sort()
}
