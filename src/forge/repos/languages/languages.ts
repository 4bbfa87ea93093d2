import * as v from 'valibot'
import { resolveRef } from '../../../git/repository/revisions.ts'
import { listFiles } from '../../../git/repository/tree.ts'
import { found } from '../../../http/route/problem.ts'
import { json } from '../../../http/route/sends.ts'
import { schemaNamed } from '../../../http/route/validate.ts'
import { int } from '../../../http/route/values.ts'
import { route, toolsFor } from '../../route.ts'
import { codeSeen } from '../access.ts'
import { problemOf } from '../git-service.ts'
import { folderOf, repositoryById } from '../repo-store.ts'
import { languageOf } from './language-names.ts'

/** LanguageStatistics of the original: bytes by name of the language, the most used first. */
const LanguageStatistics = schemaNamed('LanguageStatistics', v.record(v.string(), int))

export const repoGetLanguages = route('GET /repos/{owner}/{repo}/languages', {
  summary: 'Bytes of the files on the default branch by language, the most used first',
  access: codeSeen(),
  fails: [404, 503],
  returns: json(200, LanguageStatistics),
  shared: 'until written',
  handler: async ({ caller, sql, tools, from }) => {
    const row = found(await repositoryById(sql, caller.repo.id))
    if (row.is_empty) return {}
    const { repositories } = toolsFor(from, tools).gitService
    const repository = found(repositories.open(folderOf(row)))
    const commit = await resolveRef(repository, `refs/heads/${row.default_branch}`)
    if (!commit.ok) throw problemOf(commit.fault)
    if (commit.value === undefined) return {}
    const files = await listFiles(repository, commit.value, { truncate: true })
    if (!files.ok) throw problemOf(files.fault)
    return bytesByLanguage(files.value)
  },
})

function bytesByLanguage(files: readonly { path: string; size: number }[]): Record<string, number> {
  const bytes = new Map<string, number>()
  for (const { path, size } of files) {
    const language = isForeign(path) ? undefined : languageOf(path)
    if (language !== undefined) bytes.set(language, (bytes.get(language) ?? 0) + size)
  }
  return Object.fromEntries([...bytes].sort(([, one], [, other]) => other - one))
}

/** Folders that hold what others wrote, what programs made, or settings. */
const isForeign = (path: string) =>
  /(?:^|\/)(?:\.[^/]+|vendor|node_modules|third_party|dist|build)\//i.test(path)
