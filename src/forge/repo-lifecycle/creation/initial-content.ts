import type * as v from 'valibot'
import type { FirstCommit } from '../../../git/repository/first-commit.ts'
import { badRequest, unprocessable } from '../../../http/route/problem.ts'
import type { Account } from '../../accounts/account-store.ts'
import { signatureOf } from '../../accounts/commit-names.ts'
import type { SignedIn } from '../../auth/access.ts'
import { insertLabels } from '../../labels/label-store.ts'
import type { CreateRepoOption } from '../../repos/repo.option.ts'
import type { ForgeContext, ForgeTools } from '../../route.ts'
import { fillLicense } from '../../templates/fill-license.ts'
import { folderFor, type Plan } from './creation.ts'

type Input = v.InferOutput<typeof CreateRepoOption>

type RepoContext = ForgeContext<SignedIn, { body: Input }>

/**
 * An empty repository, or one with a first commit of README, gitignore and licence, and with a set of labels.
 * @throws Problem 400 readme, 422
 */
export function initialContent(context: RepoContext, owner: Account): Plan {
  const { body, tools, caller } = context
  const folder = folderFor(context, owner, body.name)
  const labels = labelsOf(body.issue_labels, tools)
  // A licence is always validated, but only takes effect with an initial commit.
  const license = licenseOf(body, owner, tools, context.now)
  const branch = body.default_branch || 'main'
  const commit = body.auto_init ? firstCommit(context, { branch, license }) : undefined
  const format = body.object_format_name === 'sha256' ? 'sha256' : 'sha1'
  return {
    owner,
    ownsAll: owner.id === caller.me.id || caller.is_owner,
    draft: {
      owner_id: owner.id,
      name: body.name,
      folder,
      description: body.description,
      is_private: body.private,
      is_template: body.template,
      is_empty: !body.auto_init,
      default_branch: branch,
      object_format: format,
      branch_count: body.auto_init ? 1 : 0,
      licenses: commit && body.license !== '' ? [body.license] : [],
      topics: [],
    },
    make: (repositories, at) =>
      commit
        ? repositories.createWithCommit({ ...at, format }, commit)
        : repositories.create({ ...at, format, branch }),
    furnish: (tx, repository) => insertLabels(tx, repository, labels),
    details: { auto_init: body.auto_init },
  }
}

type Labels = NonNullable<ReturnType<ForgeTools['templateCatalog']['labels']>>

/** @throws Problem 422 */
function labelsOf(set: string, { templateCatalog }: ForgeTools): Labels {
  const labels = set === '' ? [] : templateCatalog.labels(set)
  if (labels) return labels
  throw unprocessable(`failed to load label template file "${set}": label template "${set}" not found`)
}

/** @throws Problem 400, 422 */
function firstCommit(
  { body, tools, caller, from, now }: RepoContext,
  { branch, license }: { branch: string; license: string },
): FirstCommit {
  if (body.readme !== '' && body.readme !== 'Default')
    throw badRequest('readme template does not exist, available templates: [Default]')
  const signature = signatureOf(caller.me, { from, now })
  const files = [{ path: 'README.md', content: `# ${body.name}\n\n${body.description}` }]
  const ignored = gitignoreOf(body.gitignores, tools)
  if (ignored !== '') files.push({ path: '.gitignore', content: ignored })
  if (license !== '') files.push({ path: 'LICENSE', content: license })
  return { branch, author: signature, committer: signature, message: 'Initial commit\n', files }
}

/** Concatenates the requested templates in order, each below a line with its name. @throws Problem 422 */
function gitignoreOf(names: string, { templateCatalog }: ForgeTools): string {
  const requested = names === '' ? [] : names.split(',')
  return requested
    .map((name) => {
      const template = templateCatalog.gitignore(name)
      if (!template) throw unprocessable(`gitignore template "${name}" not found`)
      return `# ---> ${name}\n${template.source}\n`
    })
    .join('')
}

/** The text of the requested licence; "" for none. @throws Problem 422 */
function licenseOf(body: Input, owner: Account, { templateCatalog }: ForgeTools, now: Date): string {
  if (body.license === '') return ''
  const license = templateCatalog.license(body.license)
  if (!license) throw unprocessable(`license template "${body.license}" not found`)
  const email = owner.hides_email || owner.email === '' ? {} : { email: owner.email }
  const values = { year: now.getUTCFullYear(), owner: owner.name, project: body.name, ...email }
  return fillLicense(license.key, license.body, values)
}
