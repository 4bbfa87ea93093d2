import assert from 'node:assert/strict'
import { test } from 'node:test'
import { routesOfApp } from '../support/routes.ts'
import { sourcesOf } from '../support/sources.ts'

/** Operations that change something and that no page calls by their name, by why. */
const uncalled: Readonly<Record<string, string>> = {
  'a form calls the function behind it':
    'userAddEmail userDeleteEmail userCurrentPostKey userCurrentDeleteKey userCurrentPostGPGKey userVerifyGPGKey userCurrentDeleteGPGKey userCreateToken userDeleteAccessToken updateUserSettings notifyReadList notifyReadThread issueCreateIssueAttachment issueCreateIssueCommentAttachment repoCreateReleaseAttachment renderMarkdown',
  'a form calls another operation that does the same':
    'createOrgRepoDeprecated issueEditCommentDeprecated issueDeleteCommentDeprecated issueClearLabels issueReplaceLabels notifyReadRepoList repoAddTopic repoDeleteTopic repoCreateFile repoUpdateFile repoDeleteFile repoDeleteReleaseByTag repoSubmitPullReview repoUpdateBranchProtectionPriories',
  'only programs need it':
    'repoUpdateBranch deleteCurrentToken renderMarkdownRaw renderMarkup repoApplyDiffPatch repoGetFileContentsPost repoCreateStatus',
  'the text that shows a file names it; whoever wants another name sends the file again':
    'issueEditIssueAttachment issueEditIssueCommentAttachment',
}

test('each operation of the forge that changes something is behind a form, or excused', () => {
  const pages = sourcesOf('src').filter(({ path }) => path.startsWith('src/pages/'))
  const imported = new Set(
    pages.flatMap(({ text }) =>
      [...text.matchAll(/^import \{([^}]*)\} from '[^']*\/forge\/[^']*'/gm)].flatMap(([, names = '']) =>
        names.split(',').map((name) => name.trim()),
      ),
    ),
  )
  const changing = routesOfApp().filter(
    ({ method, profile }) => profile.base === '/api/v1' && method !== 'GET',
  )
  assert.ok(changing.length > 200)
  const without = changing.map(({ operationId }) => operationId).filter((name) => !imported.has(name))
  const excused = Object.values(uncalled).flatMap((names) => names.split(' '))
  assert.deepEqual(without.toSorted(), excused.toSorted())
})
