import { registrationToken } from '../actions/runner/registration-store.ts'
import { replaceTokenOf } from '../forge/actions/runner-handlers.ts'
import { type ActionsOwnerOrSite, scopeOf, site } from '../forge/actions/scopes.ts'
import { accountTarget, repositoryTarget } from '../forge/audit/audit-trail.ts'
import { repositoryNamed } from '../forge/repos/repo-query-store.ts'
import { findAccount, oneArgument } from './arguments.ts'
import { type Command, type CommandContext, UsageError } from './command.ts'

const replace: Command = {
  name: 'runner-token replace',
  usage: '[name | owner/name]',
  summary:
    'replace the registration token of the site, of a user or organization, or of a repository; print the new one',
  async run(context) {
    const owner = await ownerNamed(context)
    const secrets = await context.secrets()
    const { token } = await context.begin(async (tx) => {
      await replaceTokenOf(tx, 'command line', owner)
      return registrationToken(tx, secrets, scopeOf(owner), tx.now)
    })
    context.print(token)
  },
}

export const runnerTokenCommands = [replace]

/** @throws UsageError there is no such account or repository */
async function ownerNamed(context: CommandContext): Promise<ActionsOwnerOrSite> {
  if (context.args.length === 0) return site
  const path = oneArgument(context)
  const [name = '', repositoryName, surplus] = path.split('/')
  const account = await findAccount(context, name)
  if (repositoryName === undefined) return accountTarget(account)
  const repository = await repositoryNamed(context.pool, account.id, repositoryName)
  if (!repository || surplus !== undefined) throw new UsageError(`there is no "${path}"`)
  return repositoryTarget(repository, account)
}
