import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parse } from 'yaml'
import { startRunner } from '../../support/forge/actions.ts'
import { runsIn, take } from '../../support/forge/runs.ts'
import { startForge, startRepository } from '../../support/forge/workflows.ts'

const forge = await startForge()
const repo = await startRepository(forge, 'tool')
const { push } = runsIn(forge, repo)
const runner = await startRunner(forge, { labels: ['x'] })

/** The part of a file that is about all jobs, as the runner evaluates it. */
const head = `env: {GREETING: "\${{ github.actor }}", NUMBER: 010, EMPTY: ""}
defaults: {run: {shell: "bash -e {0}", working-directory: src}}
permissions: {contents: read}`

/** What a runner does with a job: the server reads none of it, or not only for itself. */
const job = `
timeout-minutes: "\${{ fromJSON(vars.MINUTES) }}"
env: {LEVEL: "\${{ matrix.os }}", MULTI: "a\\nb"}
defaults: {run: {working-directory: ./src}}
container:
  image: "node:\${{ matrix.node }}"
  credentials: {username: u, password: "\${{ secrets.REGISTRY }}"}
  env: {A: "1"}
  ports: [80, "8080:80"]
  volumes: ["/a:/b"]
  options: --cpus 1 --health-cmd "pg_isready"
services:
  postgres:
    image: postgres:15
    env: {POSTGRES_PASSWORD: "\${{ secrets.POSTGRES }}"}
    ports: ["5432:5432"]
    options: >-
      --health-cmd pg_isready
      --health-interval 10s
  redis: {image: "redis:\${{ vars.REDIS }}"}
outputs: {built: "\${{ steps.build.outputs.built }}"}
steps:
  - {id: build, name: Build it, run: "make\\nmake test", timeout-minutes: 5, continue-on-error: true, shell: sh, working-directory: lib, env: {B: "2"}, if: "success() && matrix.os != 'mac'"}
  - {uses: actions/cache@v4, with: {path: "~/.npm", key: "k-\${{ hashFiles('**/lock') }}"}, continue-on-error: "\${{ matrix.node == 20 }}", timeout-minutes: "\${{ matrix.node }}"}
  - {uses: "docker://alpine:3.20", with: {entrypoint: /bin/echo, args: "a b"}}`

const indent = (text: string) => text.trim().replaceAll(/^/gm, '  ')

test('what a runner evaluates reaches it as it is in the file', async () => {
  const strategy = '{fail-fast: false, max-parallel: 1, matrix: {os: [linux], node: [20]}}'
  const written = `a:\n  runs-on: x\n  strategy: ${strategy}\n  continue-on-error: true\n${indent(job)}`
  await push(written, head)
  const { task, end } = await take(runner)
  const received = parse(Buffer.from(task.workflowPayload ?? '').toString())
  const expected = parse(`on: push\n${head}\njobs:\n${indent(written)}`)
  expected.jobs.a.name = 'a (20, linux)'
  assert.deepEqual(received, expected)
  await end(1)
})
