import type { Mounted } from '../../../src/http/route/api.ts'

/** The addresses of all operations that read something of a repository. */

/** Values for the parameters of paths, by route or by name; those of the others are `1`. */
const values: Readonly<Record<string, string>> = {
  archive: 'main.tar.gz',
  basehead: 'base...main',
  span: 'base...main',
  kind: 'branch',
  path: 'main',
  branch: 'main',
  ref: 'main',
  sha: 'main',
  tag: 'v1',
  filepath: 'docs',
  badge: 'x.yml/badge.svg',
}

/** Queries that make an operation do the most, by its path. */
const queries: Readonly<Record<string, string>> = {
  '/{owner}/{repo}/info/refs': 'service=git-upload-pack',
  '/{owner}/{repo}/search': 'q=x',
  '/api/v1/repos/{owner}/{repo}/compare/{basehead...}': 'output=patch',
  '/api/v1/repos/{owner}/{repo}/git/trees/{sha}': 'recursive=true',
  '/api/v1/repos/{owner}/{repo}/commits': 'stat=true&files=true&path=docs',
  '/api/v1/repos/{owner}/{repo}/git/commits/{sha}': 'stat=true&files=true',
}

/**
 * The addresses for a repository that has the branches `base` and `main`, the tag `v1`, the folder `docs`, and an issue or
 * pull request, if it is to have one.
 * @throws Error there is a query for a route that is not there
 */
export function readingPaths(
  routes: readonly Mounted[],
  place: { owner: string; repo: string },
  own: Readonly<Record<string, string>> = {},
): string[] {
  const unknown = Object.keys(queries).filter((known) => !routes.some(({ path }) => path === known))
  if (unknown.length > 0) throw new Error(`there is no ${unknown.join()}`)
  const known: Readonly<Record<string, string>> = { ...values, ...own, ...place }
  return routes
    .filter(({ method, path }) => method === 'GET' && path.includes('/{owner}/{repo}'))
    .filter(({ path }) => !path.startsWith('/-/'))
    .map(({ path }) => {
      const filled = path.replace(/\{(\w+)(?:\.\.\.)?\}/g, (_, name) => known[name] ?? '1')
      const query = queries[path]
      return query === undefined ? filled : `${filled}?${query}`
    })
}
