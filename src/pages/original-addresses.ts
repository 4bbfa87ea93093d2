import { escapeSegments } from '../forge/protocol/escape-segments.ts'
import { queryText } from '../forge/protocol/query.ts'
import type { Literal } from '../http/route/handler-context.ts'
import { found } from '../http/route/problem.ts'
import { ReplyWith } from '../http/route/results.ts'
import { textAs } from '../http/route/sends.ts'
import { withQuery } from './html.ts'
import { htmlType } from './profile.ts'
import { publicPage, route } from './route.ts'

// Addresses of the original that people type and that other sites link, where the page has another one here.

const leads = { access: publicPage, returns: textAs(303, htmlType) } as const

const to = (address: string) => new ReplyWith('', { status: 303, headers: { Location: address } })

/** A page whose address has no parameters; `path` is below the root of links. */
const movedTo = (literal: Literal, path: string) =>
  route(literal, {
    ...leads,
    summary: `Redirect to /${path}: the original has the page here`,
    handler: ({ from: { host } }) => to(host + path),
  })

export const getOriginalSignIn = route('GET /user/login', {
  ...leads,
  summary: 'Redirect to the sign-in page, which leads to `redirect_to`',
  query: { redirect_to: queryText },
  handler: ({ query, from: { host } }) => to(withQuery(`${host}login`, { next: query.redirect_to })),
})

/** That page asks who is signed in whether to sign out. */
export const getOriginalSignOut = movedTo('GET /user/logout', 'login')
export const getOriginalForgotten = movedTo('GET /user/forgot_password', 'login/forgotten')
export const getOriginalSettings = movedTo('GET /user/settings', 'settings')
/** The start page lists what waits for its reader in all repositories. */
export const getOriginalIssues = movedTo('GET /issues', '')
export const getOriginalPulls = movedTo('GET /pulls', '')

/** Where a person's settings are, by the section of the original. */
const sections: ReadonlyMap<string, string> = new Map([
  ['account', 'password'],
  ['security', 'codes'],
  ['security/two_factor/enroll', 'codes'],
  ['applications', 'tokens'],
  ['notifications', 'emails'],
  ['keys', 'keys'],
  ['hooks', 'hooks'],
  ['actions', 'actions/runners'],
  ['actions/runners', 'actions/runners'],
  ['actions/secrets', 'actions/secrets'],
  ['actions/variables', 'actions/variables'],
])

export const getOriginalSettingsSection = route('GET /user/settings/{section...}', {
  ...leads,
  summary: 'Redirect to a section of the settings of a person',
  fails: [404],
  handler: ({ params, from: { host } }) => to(`${host}settings/${found(sections.get(params.section))}`),
})

export const getOriginalIssueChoice = route('GET /{owner}/{repo}/issues/new/choose', {
  ...leads,
  summary: 'Redirect to the form that opens an issue, which offers the templates of the repository',
  handler: ({ params, from: { host } }) => to(`${host}${repositoryIn(params)}/issues/new`),
})

/** A form of files of a branch; here, one page has all that changes files of a folder or a file. */
const editing = (literal: `GET /{owner}/{repo}/_${'new' | 'upload' | 'delete'}/{path...}`) =>
  route(literal, {
    ...leads,
    summary: 'Redirect to the page that changes files and folders of a branch',
    handler: ({ params, from: { host } }) =>
      to(`${host}${repositoryIn(params)}/_edit/${escapeSegments(params.path.toWellFormed())}`),
  })

export const getOriginalNewFile = editing('GET /{owner}/{repo}/_new/{path...}')
export const getOriginalUpload = editing('GET /{owner}/{repo}/_upload/{path...}')
export const getOriginalDeletion = editing('GET /{owner}/{repo}/_delete/{path...}')

const repositoryIn = ({ owner, repo }: Readonly<Record<'owner' | 'repo', string>>) =>
  escapeSegments(`${owner}/${repo}`.toWellFormed())
