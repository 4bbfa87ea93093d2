import assert from 'node:assert/strict'
import type { TestApp } from '../../support/app.ts'
import type { Answered } from '../../support/client.ts'
import type { Somebody } from '../../support/forge/make.ts'

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
}

/** Makes scenes through two processes on one database. */
export function scenesOf(apps: readonly [TestApp, TestApp], boss: Somebody) {
  const [{ make, pool, call }] = apps
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
    const scene = { number, boss, eve, bob, vic, team, repo, repoId: created.body.id }
    return { ...scene, guild: guild.name, otherGuild: other.name }
  }
}

/** What an operation needs cannot be made in a scene. */
export class Unprepared extends Error {}

/** What an operation needs, so that it succeeds alone. */
export interface Operation {
  literal: string
  as: (scene: Scene) => Somebody
  params: (scene: Scene) => Record<string, string | number>
  body?: (scene: Scene) => unknown
  query?: Record<string, string>
  /** Prepares the scene; what it returns joins the parameters. */
  before?: (scene: Scene, call: TestApp['call']) => Promise<Record<string, string | number>>
  /** Whether the effect is there. */
  holds?: (scene: Scene, pool: TestApp['pool']) => Promise<boolean>
  /** May end, rename or give away what other operations are about: it meets every other one. */
  isStructural?: true
}

/** Calls an operation through one of the processes. */
export function callOf(
  { call }: TestApp,
  { literal, as, params, body, query }: Operation,
  scene: Scene,
  prepared: Record<string, string | number>,
): Promise<Answered> {
  return call(literal, {
    as: as(scene),
    params: { ...params(scene), ...prepared },
    ...(query && { query }),
    ...(body && { body: body(scene) }),
  })
}
