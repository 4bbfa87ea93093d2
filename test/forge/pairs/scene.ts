import assert from 'node:assert/strict'
import { registrationToken } from '../../../src/actions/runner/registration-store.ts'
import type { TestApp } from '../../support/app.ts'
import { type Somebody, testSecrets } from '../../support/forge/make.ts'

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
  dataDir: string
  pool: TestApp['pool']
  /** A new token of an account. */
  token: (account: Somebody) => Promise<string>
  /** Registers runners of the repository. */
  registrationToken: () => Promise<string>
}

/** Makes scenes through two processes on one database. */
export function scenesOf(app: TestApp, boss: Somebody, dataDir: string) {
  const { make, pool, call, url, clock } = app
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
    const repoId = created.body.id
    await pool`insert into forge.team_repository (team_id, repository_id) values (${team}, ${repoId})`
    const scope = { owner_id: null, repository_id: repoId }
    return {
      ...{ number, boss, eve, bob, vic, team, repo, repoId, url, dataDir, pool, token: make.token },
      registrationToken: async () => (await registrationToken(pool, testSecrets, scope, clock.now())).token,
      guild: guild.name,
      otherGuild: other.name,
    }
  }
}
