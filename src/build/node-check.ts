import { engines } from '../../package.json'
import type { Plugin } from './folder.ts'

/** Begins the bundle with a check: an older Node than `engines` asks for prints one sentence and exits with code 1. */
export const nodeCheck: Plugin = {
  name: 'node-check',
  setup({ initialOptions }) {
    initialOptions.banner = { js: checkOf(engines.node) }
    // Node 14 parses the whole file before it runs the check.
    const newer = ['logical-assignment', 'class-static-blocks', 'class-private-brand-check']
    initialOptions.supported = Object.fromEntries(newer.map((syntax) => [syntax, false]))
  },
}

/** Written in ECMAScript 5, which every Node can parse. @throws Error when `range` is not of the form `>=20.19` */
function checkOf(range: string): string {
  const [, major, minor] = /^>=(\d+)\.(\d+)$/.exec(range) ?? []
  if (major === undefined || minor === undefined) throw new Error(`engines.node must be >=N.N, not ${range}`)
  return `(function () {
  var parts = process.version.slice(1).split('.')
  var major = Number(parts[0])
  if (major > ${major} || (major === ${major} && Number(parts[1]) >= ${minor})) return
  require('fs').writeSync(2, 'Forgehall needs Node ${major}.${minor} or newer; this is ' + process.version + '\\n')
  process.exit(1)
})();`
}
