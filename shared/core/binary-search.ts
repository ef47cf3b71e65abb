// Binary search, once for all lists that are looked at rarely enough to afford a call per step.

/** The first of `length` places at which the question is answered with yes; before it all answers are no. */
export function firstPlace(length: number, isYes: (place: number) => boolean): number {
  let low = 0
  let high = length
  while (low < high) {
    const middle = (low + high) >> 1
    if (isYes(middle)) high = middle
    else low = middle + 1
  }
  return low
}
