import { readObject } from '../../../git/repository/objects.ts'
import { objectAt } from '../../../git/repository/revisions.ts'
import { found } from '../../../http/route/problem.ts'
import { json } from '../../../http/route/sends.ts'
import { queryText } from '../../protocol/query.ts'
import { codeSeen } from '../../repos/access.ts'
import { gitValue, openCode } from '../../repos/code.ts'
import { route } from '../../route.ts'
import { requestedPath } from '../contents/contents-of.ts'
import { revisionNamed } from '../revision.ts'
import { settingsFor } from './definitions.ts'
import { EditorConfig } from './editorconfig.shape.ts'

/** Maximum bytes of `.editorconfig` that are read. */
const maxBytes = 64 * 1024

export const repoGetEditorConfig = route('GET /repos/{owner}/{repo}/editorconfig/{filepath...}', {
  summary: 'The settings of `.editorconfig` in the root folder for a path, even if no such file exists',
  access: codeSeen(),
  query: { ref: queryText },
  fails: [400, 404, 503],
  returns: json(200, EditorConfig),
  shared: 'until written',
  handler: async ({ params, query, ...context }) => {
    const path = requestedPath(params.filepath)
    const code = await openCode(context)
    const { commit } = found(await revisionNamed(code, query.ref))
    const file = gitValue(await objectAt(code, commit, '.editorconfig'))
    const { id } = found(file?.type === 'blob' ? file : undefined)
    const { content } = found(gitValue(await readObject(code, id, maxBytes)))
    const settings = settingsFor(content.toString('utf8'), path)
    const shown = ['charset', 'indent_style', 'indent_size', 'end_of_line'] as const
    return Object.fromEntries(
      shown.flatMap((name) => {
        const value = settings.get(name)
        return value === undefined ? [] : [[name, value]]
      }),
    )
  },
})
