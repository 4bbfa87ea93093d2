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
