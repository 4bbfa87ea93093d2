import assert from 'node:assert/strict'
import { Writable } from 'node:stream'
import { test } from 'node:test'
import { sharedOutput } from '../../src/cli/shared-output.ts'
import { until } from '../support/wait.ts'

test('what goes out in one step is whole lines that a pipe takes as a whole, also where the reader is slow', async () => {
  const steps: string[] = []
  const stream = new Writable({
    write(chunk, _, done) {
      steps.push(String(chunk))
      setImmediate(done)
    },
    writev(chunks, done) {
      steps.push(chunks.map(({ chunk }) => String(chunk)).join(''))
      setImmediate(done)
    },
  })
  const sink = sharedOutput(stream)
  const lines = Array.from({ length: 300 }, (_, number) => `${number} ${'ü'.repeat(number % 200)}\n`)
  const long = `${'x'.repeat(5000)}\n`
  for (const text of [lines.join(''), long, 'a\nb\n']) sink.write(text)
  assert.ok((sink.writableLength ?? 0) > 4096, 'the first step is under way')
  await until('all is written', async () => sink.writableLength === 0)
  assert.equal(steps.join(''), `${lines.join('')}${long}a\nb\n`)
  for (const step of steps)
    assert.ok(step.endsWith('\n') && (step === long || Buffer.byteLength(step) <= 4096))
  assert.ok(steps.length < 20, 'lines go out together')
})
