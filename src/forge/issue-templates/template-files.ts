import { done, failed, type Outcome } from '../../common/outcome.ts'
import { readBlobs } from '../../git/repository/objects.ts'
import { listFiles, type TreeFile } from '../../git/repository/tree.ts'
import { type Code, commitOfBranch, gitValue } from '../repos/code.ts'
import { defaultConfig, readConfig } from './config-file.ts'
import type { IssueConfig, IssueTemplate } from './issue-template.shape.ts'
import { readTemplate } from './template-file.ts'

/** Folders of templates, in the order in which they are listed. */
const folders = ['', '.gitea/', '.github/', '.gitlab/'].flatMap((place) => [
  `${place}ISSUE_TEMPLATE`,
  `${place}issue_template`,
])

/** Files with settings: the first that exists counts. */
const configs = ['.gitea/', '.github/']
  .flatMap((place) => [`${place}ISSUE_TEMPLATE/config`, `${place}issue_template/config`])
  .flatMap((name) => [`${name}.yaml`, `${name}.yml`])

/** Maximum files, and bytes of one and of all: the server parses them in the thread of all requests. */
const maximum = { files: 50, bytes: 32 * 1024, total: 128 * 1024 }

/** The templates on the default branch that break no rule. @throws Problem 404, 503 */
export async function templatesOf(code: Code): Promise<IssueTemplate[]> {
  const files = await filesIn(code, folders)
  const templates = folders.flatMap((folder) =>
    files.filter(({ path }) => {
      const name = path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : ''
      return /^[^/]+\.(?:md|ya?ml)$/.test(name) && !/^config\.ya?ml$/.test(name)
    }),
  )
  const texts = await textsOf(code, templates.slice(0, maximum.files))
  return texts.flatMap(({ path, text }) => readTemplate(path, text) ?? [])
}

/** The settings on the default branch, or their fault. @throws Problem 404, 503 */
export async function configOf(code: Code): Promise<Outcome<IssueConfig, string>> {
  const files = await filesIn(code, configs)
  const file = configs.flatMap((path) => files.find((each) => each.path === path) ?? [])[0]
  if (!file) return done(defaultConfig)
  const [read] = await textsOf(code, [file])
  return read ? readConfig(read.text) : failed(`the file has more than ${maximum.bytes / 1024} KiB`)
}

/** Files at or below these paths of the default branch. */
async function filesIn(code: Code, paths: readonly string[]): Promise<TreeFile[]> {
  if (code.row.is_empty) return []
  const commit = await commitOfBranch(code, code.row.default_branch)
  return commit === undefined
    ? []
    : gitValue(await listFiles(code, commit, { folders: paths, truncate: true }))
}

/** The texts of files that are not too large. */
async function textsOf(code: Code, files: readonly TreeFile[]): Promise<{ path: string; text: string }[]> {
  let left = maximum.total
  const read = files.filter(({ size }) => {
    if (size > Math.min(maximum.bytes, left)) return false
    left -= size
    return true
  })
  const ids = [...new Set(read.map(({ id }) => id))]
  const blobs = gitValue(await readBlobs(code, ids, maximum.total))
  return read.map(({ path, id }) => ({ path, text: blobs.get(id)?.toString('utf8') ?? '' }))
}

/** Where the text of new pull requests may be, in this order. */
const pullTemplates = ['', '.gitea/', '.github/', 'docs/'].flatMap((folder) =>
  ['PULL_REQUEST_TEMPLATE.md', 'pull_request_template.md'].map((name) => folder + name),
)

/** The text with which a new pull request begins; "": the default branch has none. @throws Problem 404, 503 */
export async function pullTemplateOf(code: Code): Promise<string> {
  const files = await filesIn(code, pullTemplates)
  const file = pullTemplates.flatMap((path) => files.find((each) => each.path === path) ?? [])[0]
  const [read] = file ? await textsOf(code, [file]) : []
  return (read?.text ?? '').replace(/^---\n[\s\S]*?\n---\n/, '').trim()
}
