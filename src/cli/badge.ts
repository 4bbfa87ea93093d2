import * as v from 'valibot'
import type { Account } from '../forge/accounts/account.ts'
import { CreateBadgeOption } from '../forge/users/badge.shape.ts'
import { badgeUnknown, giveBadges, takeBadges } from '../forge/users/badge-giving.ts'
import { badgesOf, pageOfBadges, type StoredBadge } from '../forge/users/badge-store.ts'
import { createBadge, removeBadge } from '../forge/users/badges.ts'
import { type Command, type CommandContext, said, UsageError } from './command.ts'
import { findAccount, oneArgument } from './named.ts'

const add: Command = {
  name: 'badge add',
  takes: '<slug> [--description …] [--image-url …]',
  summary: 'create a badge, which users may then be given',
  options: { description: { type: 'string', default: '' }, 'image-url': { type: 'string', default: '' } },
  async run(desk) {
    const { begin, options, print } = desk
    const { description, 'image-url': image_url } = options
    const draft = v.safeParse(CreateBadgeOption, { slug: oneArgument(desk), description, image_url })
    if (!draft.success) throw new UsageError(draft.issues[0].message)
    print(lineOf(await said(createBadge(begin, 'command line', draft.output))))
  },
}

const list: Command = {
  name: 'badge list',
  takes: '[user]',
  summary: 'show all badges, or those of a user',
  async run(desk) {
    const { pool, print, words } = desk
    const badges =
      words.length > 0
        ? await badgesOf(pool, (await findAccount(desk, oneArgument(desk))).id)
        : (await pageOfBadges(pool, { page: 1, limit: Number.MAX_SAFE_INTEGER })).rows
    for (const badge of badges) print(lineOf(badge))
  },
}

const remove: Command = {
  name: 'badge remove',
  takes: '<slug>',
  summary: 'delete a badge, also from all who have it',
  async run(desk) {
    const { begin, print } = desk
    const slug = oneArgument(desk)
    const id = await removeBadge(begin, 'command line', slug)
    if (id === undefined) throw new UsageError(badgeUnknown(slug))
    print(`${slug} is deleted`)
  },
}

const give: Command = {
  name: 'badge give',
  takes: '<user> <slug>…',
  summary: 'give a user badges: all of them or none',
  async run(desk) {
    const { owner, slugs } = await ownerAndSlugs(desk)
    await said(giveBadges(desk.begin, 'command line', owner, slugs))
    desk.print(`${owner.name} has ${slugs.join(', ')}`)
  },
}

const take: Command = {
  name: 'badge take',
  takes: '<user> <slug>…',
  summary: 'take badges from a user; those that it has not are passed over',
  async run(desk) {
    const { owner, slugs } = await ownerAndSlugs(desk)
    const taken = await takeBadges(desk.begin, 'command line', owner, slugs)
    desk.print(`${owner.name} has lost ${taken.length > 0 ? taken.join(', ') : 'nothing'}`)
  },
}

export const badgeCommands = [add, list, remove, give, take]

function lineOf({ slug, description, image_url }: StoredBadge): string {
  return [slug, description, image_url].filter((part) => part !== '').join('  ')
}

async function ownerAndSlugs(desk: CommandContext): Promise<{ owner: Account; slugs: string[] }> {
  const [name, ...slugs] = desk.words
  if (name === undefined || slugs.length === 0) throw new UsageError('this command takes a user and slugs')
  return { owner: await findAccount(desk, name), slugs }
}
