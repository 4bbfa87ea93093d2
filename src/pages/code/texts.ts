import * as v from 'valibot'
import { commitAsDiff, commitAsPatch } from '../../forge/code/commit-text.ts'
import { pullAsDiff, pullAsPatch, sendsPullText } from '../../forge/pull-changes/pull-text.ts'
import { pullsSeen } from '../../forge/pulls/access.ts'
import { codeSeen } from '../../forge/repos/access.ts'
import { streamed } from '../../http/route/sends.ts'
import { route } from '../route.ts'

// Commits and pull requests as texts, at the addresses that the original gives them, for who reads pages.

const ofCommit = {
  access: codeSeen(),
  fails: [404, 422],
  returns: streamed(200, v.string(), 'text/plain; charset=utf-8'),
} as const

export const getCommitDiff = route('GET /{owner}/{repo}/commit/{sha}.diff', {
  ...ofCommit,
  summary: 'The difference of a commit from its first parent, as a text',
  handler: ({ params, ...context }) => commitAsDiff(context, params.sha),
})

export const getCommitPatch = route('GET /{owner}/{repo}/commit/{sha}.patch', {
  ...ofCommit,
  summary: 'A commit as a mail that git-am(1) reads; of a merge, each commit that it brings',
  handler: ({ params, ...context }) => commitAsPatch(context, params.sha),
})

const ofPull = { access: pullsSeen(), ...sendsPullText } as const

export const getPullDiff = route('GET /{owner}/{repo}/pulls/{index}.diff', {
  ...ofPull,
  summary: 'The difference that a pull request makes, as a text',
  handler: (context) => pullAsDiff(context, context),
})

export const getPullPatch = route('GET /{owner}/{repo}/pulls/{index}.patch', {
  ...ofPull,
  summary: 'The commits of a pull request as mails that git-am(1) reads',
  handler: (context) => pullAsPatch(context, context),
})
