// How many bits of the jobs' hashes divide a second into pages: few runs share one page, ten thousand make 128.

const RUNS_A_PAGE = 24
/** Above this many runs in a second pages are larger, because then the number of messages counts. */
const MANY_RUNS = 400
const RUNS_A_PAGE_OF_MANY = 96

export const DEEPEST = 20

export function depthFor(runs: number): number {
  const most = runs <= MANY_RUNS ? RUNS_A_PAGE : RUNS_A_PAGE_OF_MANY
  let depth = 0
  while (depth < DEEPEST && runs / 2 ** depth > most) depth += 1
  return depth
}

/** The page of a job: the first bits of its hash. */
export const pageOf = (pageBits: number, depth: number): number => (depth === 0 ? 0 : pageBits >>> (32 - depth))
