/** `#12`, `!12` and `owner/repo#12` behind a word that says that the issue is done. */
const pattern =
  /(?:^|[\s([])(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?):?[ \t]{1,3}(?:([\w.-]{1,100}\/[\w.-]{1,100}))?[#!](\d{1,15})(?!\w)/gi

/** Maximum issues that one text closes. */
const maxIssues = 50

/** The numbers of the issues of a repository, `owner/name`, that texts say are done. */
export function closedBy(texts: readonly string[], path: string): number[] {
  const named = texts.flatMap((text) => [...text.matchAll(pattern)])
  const own = named.filter(([, repo]) => repo === undefined || repo.toLowerCase() === path.toLowerCase())
  return [...new Set(own.map(([, , number]) => Number(number)))].slice(0, maxIssues)
}

/** `#12` and `!12`. */
const reference = /(?:^|[\s([])[#!](\d{1,15})(?!\w)/g

/** The issues that a text names of its own repository. */
export const numbersIn = (text: string): number[] =>
  [...text.matchAll(reference)].slice(0, maxIssues).map(([, number]) => Number(number))

/** An issue that a text says is done. */
export interface DoneIssue {
  /** `owner/repo` in lower case; undefined: the repository of the text. */
  path: string | undefined
  number: number
}

/** The issues that a text says are done. */
export const doneIn = (text: string): DoneIssue[] =>
  [...text.matchAll(pattern)].slice(0, maxIssues).map(([, path, number]) => {
    return { path: path?.toLowerCase(), number: Number(number) }
  })
