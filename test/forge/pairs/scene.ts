import assert from 'node:assert/strict'
import { registrationToken } from '../../../src/actions/runner/registration-store.ts'
import type { TestApp } from '../../support/app.ts'
import type { Answered } from '../../support/client.ts'
import { type As, type Somebody, testSecrets } from '../../support/forge/make.ts'

/** Everything that two operations of a pair may meet in; each pair has its own. */
export interface Scene {
  number: number
  /** A site administrator, whom all scenes share. */
  boss: Somebody
  /** Owner of both organizations; no administrator. */
  eve: Somebody
  /** Member of the team and collaborator of the repository. */
  bob: Somebody
  /** Has nothing to do with it. */
  vic: Somebody
  guild: string
  otherGuild: string
  team: number
  repo: string
  repoId: number
  url: string
  pool: TestApp['pool']
  /** Registers runners of the repository. */
  registrationToken: () => Promise<string>
}

/** What an operation has prepared: parameters of its path, and what else its body and headers need. */
export type Prepared = Readonly<Record<string, string | number | Record<string, string>>>

/** Makes scenes through two processes on one database. */
export function scenesOf(apps: readonly [TestApp, TestApp], boss: Somebody) {
  const [{ make, pool, call, url, clock }] = apps
  let made = 0
  return async (): Promise<Scene> => {
    const number = ++made
    const [eve, bob, vic] = await make.people(`eve${number}`, `bob${number}`, `vic${number}`)
    const guild = await make.organization(eve, { name: `guild${number}` })
    const other = await make.organization(eve, { name: `other${number}` })
    const { id: team } = await make.team(guild, [bob], { permission: 'write' })
    const repo = 'code'
    const created = await call('POST /api/v1/orgs/{org}/repos', {
      as: eve,
      params: { org: guild.name },
      body: { name: repo, auto_init: false },
    })
    assert.equal(created.status, 201)
    await pool`
      insert into forge.team_repository (team_id, repository_id) values (${team}, ${created.body.id})`
    const repoId = created.body.id
    const scope = { owner_id: null, repository_id: repoId }
    const tokenOf = async () => (await registrationToken(pool, testSecrets, scope, clock.now())).token
    const scene = { number, boss, eve, bob, vic, team, repo, repoId, url, pool, registrationToken: tokenOf }
    return { ...scene, guild: guild.name, otherGuild: other.name }
  }
}

/** What an operation needs cannot be made in a scene. */
export class Unprepared extends Error {}

/** What an operation needs, so that it succeeds alone. */
export interface Operation {
  literal: string
  as: (scene: Scene, prepared: Prepared) => As
  params: (scene: Scene) => Record<string, string | number>
  body?: (scene: Scene, prepared: Prepared) => unknown
  query?: Record<string, string>
  /** Prepares the scene; what it returns joins the parameters, and `headers` are sent. */
  before?: (scene: Scene, call: TestApp['call']) => Promise<Prepared>
  /** Whether the effect is there. */
  holds?: (scene: Scene, pool: TestApp['pool'], prepared: Prepared) => Promise<boolean>
  /**
   * `structural`: may end, rename or give away what other operations are about; it meets all of them. `actions`: about
   * runs, jobs and runners; it meets the others of them, and what ends or gives away their repository.
   */
  kind?: 'structural' | 'actions'
  endsRepository?: true
}

/** Calls an operation through one of the processes. */
export async function callOf(
  { call, url }: TestApp,
  { literal, as, params, body, query }: Operation,
  scene: Scene,
  prepared: Prepared,
): Promise<Pick<Answered, 'status' | 'body'>> {
  const { headers, ...rest } = prepared
  const [method = '', path = ''] = literal.split(' ')
  // The protocol of runners declares no bodies.
  if (path.startsWith('/api/actions/')) {
    const sent = { 'Content-Type': 'application/json', ...(typeof headers === 'object' && headers) }
    const given = JSON.stringify(body?.(scene, prepared))
    const response = await fetch(url + path, { method, headers: sent, body: given })
    return { status: response.status, body: await response.text() }
  }
  return call(literal, {
    as: as(scene, prepared),
    params: { ...params(scene), ...rest } as Record<string, string | number>,
    ...(query && { query }),
    ...(body && { body: body(scene, prepared) }),
  })
}
