// One line of a source in the place of another.

export function plantedIn(source: string, line: string, instead: string): string {
  const lines = source.split('\n')
  const places = lines.flatMap((text, place) => (text.trim() === line ? [place] : []))
  if (places.length !== 1) throw new Error(`the line ${JSON.stringify(line)} stands there ${places.length} times`)
  return lines.with(places[0], instead).join('\n')
}
