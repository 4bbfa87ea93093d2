import { prepareAhead } from './prepared.ts'

/**
 * Imported before all else: a server that will hold an embedded database begins to prepare for it in other threads while
 * this one still evaluates the rest of the program.
 */
const [first, ...rest] = process.argv.slice(2)
if ((first === undefined || first === 'serve') && rest.length === 0 && !process.env.DATABASE_URL)
  prepareAhead()
