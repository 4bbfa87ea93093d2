/**
 * Code for the beginning of the bundle: on a Node older than `engines` (`>=20.19`) it prints one sentence and exits
 * with code 1. Written in ECMAScript 5, which every Node can parse.
 * @throws Error when `engines` is not of that form
 */
export function nodeCheck(engines: string): string {
  const [, major, minor] = /^>=(\d+)\.(\d+)$/.exec(engines) ?? []
  if (major === undefined || minor === undefined)
    throw new Error(`engines.node must be >=N.N, not ${engines}`)
  return `(function () {
  var parts = process.version.slice(1).split('.')
  var major = Number(parts[0])
  if (major > ${major} || (major === ${major} && Number(parts[1]) >= ${minor})) return
  require('fs').writeSync(2, 'Forgehall needs Node ${major}.${minor} or newer; this is ' + process.version + '\\n')
  process.exit(1)
})();`
}
