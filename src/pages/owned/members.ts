import { User } from '../../forge/accounts/user.shape.ts'
import {
  orgConcealMember,
  orgDeleteMember,
  orgListMembers,
  orgPublicizeMember,
} from '../../forge/orgs/members.ts'
import { askedForm, buttonForm } from '../form.ts'
import { html } from '../html.ts'
import { pageAt } from '../list.ts'
import { readPage } from '../operations/perform.ts'
import type { Act, Noun } from './noun.ts'

type Operation = Parameters<typeof readPage>[1]

const onMember = (operation: Operation, done: string): Act => ({
  calls: ({ key: username = '' }, { params }) => [[operation, { params: { ...params, username } }]],
  done,
})

/** The people of an organization. Owners add some through a team. */
export const members: Noun<User> = {
  section: 'members',
  title: 'People',
  word: ['person', 'people'],
  empty: 'Nobody whom you may see.',
  rows: (at, page) => readPage(at, orgListMembers, User, { params: at.params, query: pageAt(page) }),
  keyOf: ({ login }) => login,
  nameOf: ({ login }) => login,
  hrefOf: ({ html_url }) => html_url,
  factsOf: ({ full_name }) => full_name,
  rowForms: ({ login }, address, { who }) => {
    const isSelf = login === who.me?.name
    if (!isSelf && !who.me?.is_admin && !who.is_owner) return undefined
    const text = isSelf ? 'Leave' : 'Remove'
    return html`${
      isSelf
        ? html`${buttonForm(address, 'Show me', 'Show me to everybody as a member', { action: 'publish', key: login })}
${buttonForm(address, 'Hide me', 'Hide me from all but members', { action: 'conceal', key: login })}`
        : undefined
    }
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
