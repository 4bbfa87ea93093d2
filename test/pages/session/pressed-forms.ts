import { samePassword } from '../../support/forge/make.ts'
import { newKeyLine } from '../../support/forge/ssh-key.ts'

// What `every-form.test.ts` knows about certain forms, by route and action.

/** Routes that no page of these offers a form for, and why. */
export const unoffered: Readonly<Record<string, string>> = {
  '/{owner}/{repo}/git-upload-pack': 'git sends it',
  '/{owner}/{repo}/git-receive-pack': 'git sends it',
  '/login/password': 'the link of a mail or of an administrator leads to its page',
  '/login/forgotten': 'a server that sends mails offers it',
  '/settings/emails/confirm': 'the link of a mail leads to its page',
  '/settings/emails/unsubscribe': 'mail programs send it',
}

/** What is written into empty fields with these names; others get a text that has their name. */
export const written: Readonly<Record<string, string>> = {
  email: 'new@example.com',
  url: 'https://example.com/picture.png',
  repository: 'ada/code',
  new_owner: 'eve',
  password: 'a long password',
  name: 'A_TEST',
}

/** What is written into certain forms, in addition. */
export const writtenInto: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  '/-/admin/new/organization': { username: 'club' },
  '/-/admin/new/user': { username: 'carl', email: 'carl@example.com' },
  '/-/admin/users/{username}/badges': { give: 'kind' },
  '/-/admin/users/{username}/rename': { new_username: 'Eve' },
  '/-/admin/users/{username}/keys': { key: newKeyLine() },
  '/login': { user: 'mallory', password: samePassword },
  '/org/{org}/settings delete': { confirmation: 'guild' },
  '/org/{org}/members remove': { key: 'olga' },
  '/org/{org}/settings rename': { new_name: 'Guild', present_name: 'guild' },
  '/org/{org}/teams/{team}/members add': { name: 'eve' },
  '/org/{org}/teams/{team}/repositories add': { name: 'forked' },
  '/overview/manage discard-draft': { id: '1' },
  '/overview/manage end-session': { id: '2' },
  '/settings/emails remove': { email: 'new@example.com' },
  '/settings/keys add': { key: newKeyLine() },
  '/settings/password': { current: samePassword, repeated: 'a long password' },
  '/settings/tokens make': { repository: 'read' },
  '/{owner}/{repo} fork': { owner: 'guild', name: 'forked' },
  '/{owner}/{repo}/branches rename': { ref: 'proposed', name: 'renamed' },
  '/{owner}/{repo}/issues/{index} comment': { body: 'Said' },
  '/{owner}/{repo}/issues/{index} relate': { other: 'guild/tools#1' },
  '/{owner}/{repo}/pulls/{index} relate': { relation: 'block', other: 'guild/tools#1' },
  '/{owner}/{repo}/pulls/{index} assignees': { 'assignee-ada': 'on' },
  '/{owner}/{repo}/pulls/{index} comment': { body: 'Said' },
  '/{owner}/{repo}/pulls/{index} labels': { 'label-1': 'on' },
  '/{owner}/{repo}/pulls/{index}/files review': { body: 'Reviewed' },
  // The form has a picture, which only Markdown shows.
  '/overview/manage/drafts/{id} draft': { format: 'markdown' },
  '/overview/manage/posts/{id} publish': { format: 'markdown' },
  '/{owner}/{repo}/tags create': { tag_name: 'fresh' },
  '/{owner}/{repo}/tags delete': { ref: 'spare' },
  '/{owner}/{repo}/settings delete': { confirmation: 'ada/code' },
  '/{owner}/{repo}/settings/collaboration add': { name: 'mallory' },
  '/{owner}/{repo}/settings/keys add': { key: newKeyLine() },
  '/{owner}/{repo}/settings/tags add': { whitelist_usernames: 'ada' },
  '/{owner}/{repo}/settings/teams add': { name: 'makers' },
}

/** Forms that are refused with what this test writes, and where their success is tested. */
export const refusedHere: Readonly<Record<string, string>> = {
  '/settings/gpg_keys add': 'needs a key: pages/settings/gpg-keys',
  '/settings/gpg_keys verify': 'needs a signature: pages/settings/gpg-keys',
  '/settings/codes enrol': 'needs a code of the moment: pages/settings/codes',
  '/org/{org}/settings delete': 'it has repositories: pages/organizations',
  '/-/admin/users/{username}/delete': 'has repositories: pages/admin/users',
  '/-/admin/unadopted/{owner}/{repo}/adopt': 'needs a repository: pages/admin/unadopted',
}

/** Pressed last, in this order: they end what other forms are about. */
export const last = [
  '/{owner}/{repo}/actions disable',
  '/{owner}/{repo} accept',
  '/{owner}/{repo} reject',
  '/{owner}/{repo}/pulls/{index} draft',
  '/{owner}/{repo}/issues/{index} delete',
  '/{owner}/{repo}/releases/edit/{tag...} delete',
  '/overview/manage/drafts/{id} publish',
  '/settings/emails remove',
  '/settings/emails make-primary',
  '/{owner}/{repo}/branches rename',
  '/{owner}/{repo}/settings edit',
  '/{owner}/{repo}/settings archive',
  '/{owner}/{repo}/settings restore',
  '/{owner}/{repo}/settings transfer',
  '/{owner}/{repo}/settings delete',
  '/org/{org}/members remove',
  '/org/{org}/settings rename',
  '/org/{org}/settings delete',
  '/-/admin/users/{username}/rename',
  '/-/admin/users/{username}/delete',
  '/-/admin/sessions/end',
  '/-/admin/sessions/{id}/end',
  '/settings/sessions end',
  '/settings/sessions end-others',
  '/settings/password',
  '/login',
  '/login/out',
]
