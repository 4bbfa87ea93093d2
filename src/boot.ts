import * as program from 'program:./main.ts'
import { Script } from 'node:vm'
import { prepareAhead } from './db/embedded/prepared.ts'
import { keepTicksFast } from './runtime/ticks.ts'

/**
 * What the built file begins with. A server that will hold an embedded database begins to prepare for it in other threads,
 * before all else. The program stands in the file as a text with what V8 made of it when it was built, so that V8 need
 * not read it first.
 */
keepTicksFast()
const [first, ...rest] = process.argv.slice(2)
const serves = (first === undefined || first === 'serve') && rest.length === 0
if (serves && !process.env.DATABASE_URL) prepareAhead()

// V8 itself looks at all but the processor.
const cachedData = program.host === `${process.version} ${process.arch}` ? program.codeCache() : undefined
const script = new Script(program.text(), { filename: 'forgehall', cachedData })
const modules = new Map(Object.entries(program.modules))
script.runInThisContext()((name: string) => modules.get(name) ?? require(name), { exports: {} })
