/**
 * Code for the very beginning of the built file: on a Node that is older than `engines` (`>=20.19`) it says so in one
 * sentence and ends the process with exit code 1. Written in ECMAScript 5, which every Node reads.
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
