/** One step of a pattern: characters it takes, or any run of them. */
type Step = '*' | ((character: string) => boolean)

/** Longest pattern that is looked at. */
const longest = 255

/**
 * A whole-text matcher for `*` (any run), `?` (any one) and `[a-z]`, `[!a-z]` (one of a set); `\` takes the meaning of
 * the next character away. Undefined for a pattern that is not well-formed. Its time grows with pattern × text at
 * most, whatever was typed.
 */
export function globOf(pattern: string): ((text: string) => boolean) | undefined {
  const steps = pattern.length > longest ? undefined : stepsOf(pattern)
  return steps && ((text) => matches(steps, [...text]))
}

function stepsOf(pattern: string): Step[] | undefined {
  const characters = [...pattern]
  const steps: Step[] = []
  for (let at = 0; at < characters.length; at++) {
    const character = characters[at]
    if (character === '*') steps.push('*')
    else if (character === '?') steps.push(() => true)
    else if (character === '[') {
      const end = characters.indexOf(']', at + 2)
      if (end === -1) return undefined
      steps.push(setOf(characters.slice(at + 1, end)))
      at = end
    } else {
      if (character === '\\') at++
      const literal = characters[at]
      if (literal === undefined) return undefined
      steps.push((given) => given === literal)
    }
  }
  return steps
}

function setOf(inside: string[]): (character: string) => boolean {
  const negated = inside[0] === '!' || inside[0] === '^'
  const members = negated ? inside.slice(1) : inside
  const ranges: [string, string][] = []
  for (let at = 0; at < members.length; at++) {
    const from = members[at] ?? ''
    const to = members[at + 1] === '-' ? members[at + 2] : undefined
    ranges.push([from, to ?? from])
    if (to !== undefined) at += 2
  }
  return (character) => ranges.some(([from, to]) => from <= character && character <= to) !== negated
}

/** Goes back to the last `*` only: an earlier one could take no more than that one does. */
function matches(steps: readonly Step[], text: readonly string[]): boolean {
  let step = 0
  let star = -1
  let retry = 0
  for (let at = 0; at < text.length; ) {
    const wanted = steps[step]
    if (wanted === '*') {
      star = step++
      retry = at
    } else if (wanted?.(text[at] ?? '')) {
      step++
      at++
    } else if (star >= 0) {
      step = star + 1
      at = ++retry
    } else return false
  }
  return steps.slice(step).every((left) => left === '*')
}
