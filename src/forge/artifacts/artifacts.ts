import { mapPage, type Paging } from '../../db/page.ts'
import { pageQuery } from '../../http/route/page.ts'
import { found, notFound } from '../../http/route/problem.ts'
import { ReplyWith } from '../../http/route/results.ts'
import { counted, json, noBody } from '../../http/route/sends.ts'
import { described, id } from '../../http/route/values.ts'
import { runExists } from '../actions/run-list-store.ts'
import { record } from '../audit/audit-trail.ts'
import { queryText } from '../protocol/query.ts'
import { actionsSeen, actionsWritten, type OnRepository } from '../repos/access.ts'
import { type ForgeContext, route } from '../route.ts'
import { downloadAddress } from './address.ts'
import { ActionArtifact, ActionArtifactsList, printArtifact } from './artifact.shape.ts'
import { artifactOfRepository, pageOfArtifacts } from './artifact-list-store.ts'
import { deleteArtifact } from './artifact-store.ts'

const listing = {
  access: actionsSeen(),
  query: { ...pageQuery(), name: described(queryText, 'Only artifacts of this name') },
  returns: counted(ActionArtifactsList),
  shared: true,
} as const

const onArtifact = { params: { artifact_id: id }, fails: [404] } as const

export const getArtifacts = route('GET /repos/{owner}/{repo}/actions/artifacts', {
  ...listing,
  summary: 'The artifacts of all runs, the newest first',
  handler: (context) => list(context),
})

export const getArtifactsOfRun = route('GET /repos/{owner}/{repo}/actions/runs/{run}/artifacts', {
  ...listing,
  summary: 'The artifacts of a run, the newest first',
  params: { run: id },
  fails: [404],
  handler: async (context) => {
    const { caller, params, sql } = context
    if (!(await runExists(sql, caller.repo.id, { run: params.run, attempt: 'newest' }))) throw notFound()
    return list(context, params.run)
  },
})

export const getArtifact = route('GET /repos/{owner}/{repo}/actions/artifacts/{artifact_id}', {
  ...onArtifact,
  summary: 'An artifact',
  access: actionsSeen(),
  returns: json(200, ActionArtifact),
  handler: async (context) => {
    const { caller, params, sql } = context
    return printArtifact(
      found(await artifactOfRepository(sql, caller.repo.id, params.artifact_id)),
      viewOf(context),
    )
  },
})

export const deleteActionArtifact = route('DELETE /repos/{owner}/{repo}/actions/artifacts/{artifact_id}', {
  ...onArtifact,
  summary: 'Delete an artifact',
  access: actionsWritten(),
  returns: noBody(204),
  handler: (context) => {
    const { caller, params, begin } = context
    return begin(async (tx) => {
      const { id, name } = found(await artifactOfRepository(tx, caller.repo.id, params.artifact_id))
      if (!(await deleteArtifact(tx, id))) throw notFound()
      const target = {
        kind: 'artifact',
        id,
        name: `${caller.repo.owner.name}/${caller.repo.name}/${name}`,
      } as const
      await record(tx, context, { action: 'artifact.deleted', target })
    })
  },
})

export const downloadArtifact = route('GET /repos/{owner}/{repo}/actions/artifacts/{artifact_id}/zip', {
  ...onArtifact,
  summary: 'Leads to the content of an artifact, at an address that is valid for ten minutes',
  access: actionsSeen(),
  returns: noBody(302),
  handler: async ({ caller, params, sql, tools: { secrets }, from: { host }, now }) => {
    const { id: artifact } = found(await artifactOfRepository(sql, caller.repo.id, params.artifact_id))
    const address = downloadAddress(artifact, { secrets, host, now })
    return new ReplyWith(undefined, { headers: { Location: address } })
  },
})

type Context = ForgeContext<OnRepository>

const viewOf = ({ caller: { repo }, from, now }: Context) => ({
  api: `${from.host}api/v1/repos/${repo.owner.name}/${repo.name}/actions/artifacts`,
  now,
})

async function list(context: Context & { query: Paging & { name: string } }, run?: number) {
  const { caller, query, sql } = context
  const filter = { repository: caller.repo.id, name: query.name, ...(run !== undefined && { run }) }
  const page = await pageOfArtifacts(sql, { page: query.page, limit: query.limit }, filter)
  return mapPage(page, (row) => printArtifact(row, viewOf(context)))
}
