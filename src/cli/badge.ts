import * as v from 'valibot'
import type { Account } from '../forge/accounts/account.ts'
import { CreateBadgeOption } from '../forge/users/badge.shape.ts'
import { createBadge, removeBadge } from '../forge/users/badge-changes.ts'
import { badgeUnknown, giveBadges, takeBadges } from '../forge/users/badge-giving.ts'
import { badgesOf, pageOfBadges, type StoredBadge } from '../forge/users/badge-store.ts'
import { findAccount, oneArgument } from './arguments.ts'
import { type Command, type CommandContext, problemsAsUsageErrors, UsageError } from './command.ts'

const add: Command = {
  name: 'badge add',
  usage: '<slug> [--description …] [--image-url …]',
  summary: 'create a badge that you can give to users',
  options: { description: { type: 'string', default: '' }, 'image-url': { type: 'string', default: '' } },
  async run(context) {
    const { begin, options, print } = context
    const { description, 'image-url': image_url } = options
    const draft = v.safeParse(CreateBadgeOption, { slug: oneArgument(context), description, image_url })
    if (!draft.success) throw new UsageError(draft.issues[0].message)
    print(lineOf(await problemsAsUsageErrors(createBadge(begin, 'command line', draft.output))))
  },
}

const list: Command = {
  name: 'badge list',
  usage: '[user]',
  summary: 'list all badges, or those of a user',
  async run(context) {
    const { pool, print, words } = context
    const badges =
      words.length > 0
        ? await badgesOf(pool, (await findAccount(context, oneArgument(context))).id)
        : (await pageOfBadges(pool, { page: 1, limit: Number.MAX_SAFE_INTEGER })).rows
    for (const badge of badges) print(lineOf(badge))
  },
}

const remove: Command = {
  name: 'badge remove',
  usage: '<slug>',
  summary: 'delete a badge, and take it from all users who have it',
  async run(context) {
    const { begin, print } = context
    const slug = oneArgument(context)
    const id = await removeBadge(begin, 'command line', slug)
    if (id === undefined) throw new UsageError(badgeUnknown(slug))
    print(`${slug} is deleted`)
  },
}

const give: Command = {
  name: 'badge give',
  usage: '<user> <slug>…',
  summary: 'give badges to a user: all of them or none',
  async run(context) {
    const { owner, slugs } = await ownerAndSlugs(context)
    await problemsAsUsageErrors(giveBadges(context.begin, 'command line', owner, slugs))
    context.print(`${owner.name} has ${slugs.join(', ')}`)
  },
}

const take: Command = {
  name: 'badge take',
  usage: '<user> <slug>…',
  summary: 'take badges from a user; skip those that the user does not have',
  async run(context) {
    const { owner, slugs } = await ownerAndSlugs(context)
    const taken = await takeBadges(context.begin, 'command line', owner, slugs)
    context.print(`${owner.name} has lost ${taken.length > 0 ? taken.join(', ') : 'nothing'}`)
  },
}

export const badgeCommands = [add, list, remove, give, take]

function lineOf({ slug, description, image_url }: StoredBadge): string {
  return [slug, description, image_url].filter((part) => part !== '').join('  ')
}

async function ownerAndSlugs(context: CommandContext): Promise<{ owner: Account; slugs: string[] }> {
  const [name, ...slugs] = context.words
  if (name === undefined || slugs.length === 0)
    throw new UsageError('this command takes a user and badge slugs')
  return { owner: await findAccount(context, name), slugs }
}
