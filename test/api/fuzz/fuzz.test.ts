// A slice of the made-up requests, the same every time; npm run -s fuzz sends many more.

import { expect, test } from 'vitest'
import { fuzz } from './fuzz.ts'

test('1,500 made-up requests meet no 5xx, no exception, no answer beside the document, and no change by what is refused', async () => {
  const { faults, neverAccepted, byStatus } = await fuzz(20, 1500)
  expect(faults).toEqual([])
  // Every operation was also met with a request that it takes: a generator of nothing but nonsense proves nothing.
  expect(neverAccepted).toEqual([])
  expect(Object.keys(byStatus)).toEqual(
    expect.arrayContaining(['200', '201', '202', '204', '400', '404', '405', '422']),
  )
})
