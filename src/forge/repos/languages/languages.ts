import * as v from 'valibot'
import { listFiles } from '../../../git/repository/tree.ts'
import { json } from '../../../http/route/sends.ts'
import { schemaNamed } from '../../../http/route/validate.ts'
import { int } from '../../../http/route/values.ts'
import { route } from '../../route.ts'
import { codeSeen } from '../access.ts'
import { commitOfBranch, gitValue, openCode } from '../code.ts'
import { languageOf } from './language-names.ts'

/** LanguageStatistics of the original: bytes by name of the language, the most used first. */
const LanguageStatistics = schemaNamed('LanguageStatistics', v.record(v.string(), int))

export const repoGetLanguages = route('GET /repos/{owner}/{repo}/languages', {
  summary: 'Bytes of the files on the default branch by language, the most used first',
  access: codeSeen(),
  fails: [404, 503],
  returns: json(200, LanguageStatistics),
  shared: 'until written',
  handler: async (context) => {
    const code = await openCode(context)
    if (code.row.is_empty) return {}
    const commit = await commitOfBranch(code, code.row.default_branch)
    if (commit === undefined) return {}
    return bytesByLanguage(gitValue(await listFiles(code, commit, { truncate: true })))
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

/** Folders of third-party code, generated files or settings. */
const isForeign = (path: string) =>
  /(?:^|\/)(?:\.[^/]+|vendor|node_modules|third_party|dist|build)\//i.test(path)
