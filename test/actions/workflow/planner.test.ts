import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPlanner } from '../../../src/actions/workflow/planner.ts'

const happening = { event: 'push', ref: 'refs/heads/main', changed: [] } as const
const contexts = { github: {}, inputs: {}, vars: {} }
const good = 'on: push\njobs: {a: {steps: [{run: echo}]}}'

test('a file is read in a thread, and so is a broken one', async (t) => {
  const planner = createPlanner()
  t.after(planner.close)
  const examined = await planner.examine(good, happening)
  assert.ok(examined.ok && examined.value.starts)
  const planned = await planner.plan(good, contexts)
  assert.ok(planned.ok)
  const [job] = planned.value.jobs
  assert.ok(job?.fault === undefined && job?.payload?.includes('echo'))
  assert.deepEqual(await planner.plan('on: push', contexts), {
    ok: false,
    fault: { kind: 'file', message: 'there are no jobs' },
  })
})

test('a file that takes too long is faulty, and another thread reads the next file', async (t) => {
  const planner = createPlanner({ workers: 1, timeLimit: 1 })
  t.after(planner.close)
  const lines = Array.from({ length: 250_000 }, (_, at) => `- ${at % 10}`)
  const slow = `${good}\nx:\n${lines.join('\n')}`
  const outcomes = await Promise.all([planner.plan(slow, contexts), planner.plan(slow, contexts)])
  const tooLong = { ok: false, fault: { kind: 'file', message: 'the file takes too long to read' } }
  assert.deepEqual(outcomes, [tooLong, tooLong])
})

test('other work runs while threads read hostile files', async (t) => {
  const planner = createPlanner({ workers: 1, timeLimit: 60_000 })
  t.after(planner.close)
  let turns = 0
  const ticking = setInterval(() => turns++, 10)
  const outcome = await planner.examine('[a,'.repeat(90) + '1,'.repeat(300_000), happening)
  clearInterval(ticking)
  assert.ok(outcome.ok && outcome.value.fault !== undefined)
  assert.ok(turns > 5)
})

test('after closing, requests get the fault busy', async () => {
  const planner = createPlanner()
  await planner.close()
  const outcome = await planner.plan(good, contexts)
  assert.ok(!outcome.ok && outcome.fault.kind === 'busy')
})
