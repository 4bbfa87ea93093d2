import { Transform } from 'node:stream'
import { spec, type TestEvent } from 'node:test/reporters'
import { inspect } from 'node:util'
import type { Report, Result } from './lanes.ts'

const words = new spec()
/** Since Node 22 the reporter prints errors at its end, which a lane does not reach. */
const printsErrors = Number.parseInt(process.versions.node, 10) < 22

/** The reporter of a lane: passes on to the runner what node's own would print, and what became of each test. */
export default new Transform({
  writableObjectMode: true,
  transform(event: TestEvent, _encoding, done) {
    words.write(event)
    for (let text = words.read(); text !== null; text = words.read()) tell({ text: String(text) })
    if (event.type === 'test:fail' && !printsErrors)
      tell({ text: `${inspect(event.data.details.error.cause)}\n` })
    if (event.type === 'test:pass' || event.type === 'test:fail') tell(resultOf(event))
    done()
  },
})

function tell(report: Report): void {
  if (process.connected) process.send?.(report)
}

function resultOf({ type, data }: Extract<TestEvent, { type: 'test:pass' | 'test:fail' }>): Result {
  const { name, nesting, skip, details } = data
  const became = type === 'test:fail' ? 'failed' : skip === undefined ? 'passed' : 'skipped'
  return { name, became, kind: nesting === 0 ? 'file' : details.type === 'suite' ? 'suite' : 'test' }
}
