import { posix } from 'node:path'
import { fail, quote } from './fault.ts'

/** What `uses` of a job names: a workflow file of its own repository and commit, or of another repository at a ref. */
export interface Uses {
  /** Undefined: the repository and commit of the file that says so. */
  readonly elsewhere: { readonly owner: string; readonly repo: string; readonly ref: string } | undefined
  /** The whole path of the file. */
  readonly path: string
}

const maxLength = 512
const folders = ['.gitea/workflows/', '.github/workflows/']

/** @throws WorkflowFault when it names no workflow file of this server */
export function readUses(text: string): Uses {
  const uses = text.trim()
  const own = /^\.\/([^@]+)$/.exec(uses)
  const other = /^([\w.-]+)\/([\w.-]+)\/([^@]+)@(.+)$/.exec(uses)
  const [, owner = '', repo = '', path = own?.[1] ?? '', ref = ''] = other ?? []
  const isFile = /\.ya?ml$/.test(path) && folders.some((folder) => path.startsWith(folder))
  if (uses.length > maxLength || !isFile || posix.normalize(path) !== path)
    return fail(
      `"uses" is ${quote(text)}; a job can use ./.gitea/workflows/FILE.yml or OWNER/REPOSITORY/.gitea/workflows/FILE.yml@REF`,
    )
  return { elsewhere: own ? undefined : { owner, repo, ref }, path }
}
