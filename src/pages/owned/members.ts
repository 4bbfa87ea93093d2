import { User } from '../../forge/accounts/user.shape.ts'
import {
  orgConcealMember,
  orgDeleteMember,
  orgIsPublicMember,
  orgListMembers,
  orgPublicizeMember,
} from '../../forge/orgs/members.ts'
import { askedForm, buttonForm } from '../form.ts'
import { type Html, html } from '../html.ts'
import { pageAt } from '../list.ts'
import { perform, readPage } from '../operations/perform.ts'
import { outcomeOf } from '../operations/refusal.ts'
import type { Act, At, Noun } from './noun.ts'

type Operation = Parameters<typeof readPage>[1]

const onMember = (operation: Operation, done: string): Act => ({
  calls: ({ key: username = '' }, { params }) => [[operation, { params: { ...params, username } }]],
  done,
})

/** `isShown`: everybody sees the membership; known of the reader's own alone. */
type Member = User & { isShown: boolean }

async function membersOn(at: At, page: number) {
  const shown = await readPage(at, orgListMembers, User, { params: at.params, query: pageAt(page) })
  const self = shown.rows.find(({ login }) => login === at.who.me?.name)
  const isShown = self !== undefined && (await isPublic(at, self.login))
  return { ...shown, rows: shown.rows.map((row) => ({ ...row, isShown: isShown && row === self })) }
}

const isPublic = async (at: At, username: string): Promise<boolean> =>
  (await outcomeOf(perform(at, orgIsPublicMember, { params: { ...at.params, username } }), {}, [404])).ok

/** Hides the reader's own membership, or shows it. */
const visibilityForm = (address: string, key: string, isShown: boolean): Html =>
  isShown
    ? buttonForm(address, 'Hide me', 'Hide me from all but members', { action: 'conceal', key })
    : buttonForm(address, 'Show me', 'Show me to everybody as a member', { action: 'publish', key })

/** The people of an organization. Owners add some through a team. */
export const members: Noun<Member> = {
  section: 'members',
  title: 'People',
  word: ['person', 'people'],
  empty: 'No people whom you may see.',
  rows: membersOn,
  keyOf: ({ login }) => login,
  nameOf: ({ login }) => login,
  hrefOf: ({ html_url }) => html_url,
  factsOf: ({ full_name }) => full_name,
  rowForms: ({ login, isShown }, address, { who }) => {
    const isSelf = login === who.me?.name
    if (!isSelf && !who.me?.is_admin && !who.is_owner) return undefined
    const text = isSelf ? 'Leave' : 'Remove'
    return html`${isSelf ? visibilityForm(address, login, isShown) : undefined}
${askedForm({
  address,
  text,
  label: isSelf ? 'Leave the organization' : `Remove ${login}`,
  question: isSelf ? 'You leave all its teams.' : `${login} leaves all teams of the organization.`,
  answer: `${text} ${isSelf ? 'the organization' : login}`,
  fields: { action: 'remove', key: login },
})}`
  },
  acts: {
    remove: onMember(orgDeleteMember, 'The person is no member any more.'),
    publish: onMember(orgPublicizeMember, 'Everybody sees that you are a member.'),
    conceal: onMember(orgConcealMember, 'Only members see that you are a member.'),
  },
}
